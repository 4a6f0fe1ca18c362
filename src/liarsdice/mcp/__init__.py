"""The MCP server: tables of a server as tools for language models (Model Context Protocol).

Imports `client`, `bots.registry` and `core`; needs the extra `mcp`. Start with `agent.py`, which does what the
tools say, then `server.py`.
"""

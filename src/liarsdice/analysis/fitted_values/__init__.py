"""Values of states under any rules, fitted to matches of simple bots that the engine plays by the same rules."""

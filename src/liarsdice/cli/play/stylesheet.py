"""Where the parts of the full-screen table stand, and its colours: felt, bone and lamp light."""

CSS = """
Screen { background: #12241c; color: #f2ead8; }
#title { height: 1; background: #3b2416; color: #f2ead8; padding: 0 1; }
#upper { height: 1fr; min-height: 4; }
#players { width: 1fr; height: 100%; padding: 0 1; }
#log { width: 1fr; height: 100%; background: #0d1b15; color: #cfc7b4; padding: 0 1; scrollbar-size: 0 0; }
#bid { height: 1; padding: 0 1; }
#title, #players, #bid, #keys { text-wrap: nowrap; text-overflow: ellipsis; }
#stage { height: 8; padding: 0 1; background: #183528; }
#lower { height: 5; }
#dice { width: auto; height: 5; padding: 0 1; color: #fff8e6; }
#prompt { width: 1fr; height: 5; padding: 0 1; }
#keys { height: 1; background: #3b2416; color: #f2ead8; padding: 0 1; }
ModalScreen { align: center middle; }
.dialog { width: 76; max-width: 100%; height: auto; max-height: 100%; border: round #d9b36c; background: #183528; }
.dialog OptionList { height: auto; max-height: 18; min-width: 8; background: #183528; border: none; }
.page { width: 100%; height: 100%; background: #12241c; }
.page VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; padding: 0 0 0 1; }
.question { padding: 0 1 1 1; text-style: bold; }
.hint { height: 1; padding: 0 1; color: #a8b5a2; }
"""

from ncclscope.tui.screen import CaseScreen
class Ranks(CaseScreen):
    PLACE = 4

from ncclscope.tui.screen import CaseScreen
class Cases(CaseScreen):
    PLACE = 0

from ncclscope.tui.screen import CaseScreen
class Timeline(CaseScreen):
    PLACE = 2

from ncclscope.tui.screen import CaseScreen
class Events(CaseScreen):
    PLACE = 3

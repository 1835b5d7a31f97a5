from ncclscope.tui.screen import CaseScreen
class Files(CaseScreen):
    PLACE = 5

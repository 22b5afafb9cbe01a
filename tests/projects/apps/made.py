import thena_runtime as th
from data import Business
from stores import ATTIC, BOTH, Attic, Cellar, Loft, Shelf
from thena_runtime import Thena, ThenaConfig
from workflows import Cellars, Outer

BY_HAND = ThenaConfig(memory=(Shelf(), *BOTH), log=False)

whole = Thena(Outer, ThenaConfig(memory=[Shelf, Attic]), data=Business)
named = Thena(Outer, BY_HAND)
by_keyword = th.Thena(workflow=Cellars, config=th.ThenaConfig(memory=[ATTIC, Cellar, Loft]), data=None)


def in_vain(stores):
    return Thena(Cellars, ThenaConfig(memory=stores))

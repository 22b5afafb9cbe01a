import states
from states import Plain
from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    pass


@Workflow(steps=[Worker], state=Plain)
class WithPlain:
    pass


@Workflow(steps=[Worker], state=states.Derived)
class WithDerived:
    pass


@Workflow(steps=[Worker], state=states.Boxed)
class WithBoxed:
    pass


@Workflow(steps=[Worker], state=states.Needing)  # error: THN601
class WithNeeding:
    pass


@Workflow(steps=[Worker], state=states.Making)  # error: THN601
class WithMaking:
    pass


@Workflow(steps=[Worker], state=states.MadeStatic)  # error: THN601
class WithMadeStatic:
    pass


@Workflow(steps=[Worker], state=states.MakingAny)
class WithMakingAny:
    pass


@Workflow(steps=[Worker], state=states.Fields)  # error: THN601
class WithFields:
    pass


@Workflow(steps=[Worker], state=states.Frozen)  # error: THN604
class WithFrozen:
    pass


@Workflow(steps=[Worker], state=states.ThawedBelow)
class WithThawedBelow:
    pass


@Workflow(steps=[Worker], state=states.Defaults)
class WithDefaults:
    pass


@Workflow(steps=[Worker], state=states.FrozenByAttrs)  # error: THN604
class WithFrozenByAttrs:
    pass


@Workflow(steps=[Worker], state=states.FrozenByOption)  # error: THN604
class WithFrozenByOption:
    pass


@Workflow(steps=[Worker], state=states.ByAttrs)
class WithByAttrs:
    pass


@Workflow(steps=[Worker], state=states.Model)
class WithModel:
    pass


@Workflow(steps=[Worker], state=states.FrozenModel)  # error: THN604
class WithFrozenModel:
    pass


@Workflow(steps=[Worker], state=states.FrozenHead)  # error: THN604
class WithFrozenHead:
    pass


@Workflow(steps=[Worker], state=states.Pair)  # error: THN604
class WithPair:
    pass


@Workflow(steps=[Worker], state=states.Kind)  # error: THN601
class WithKind:
    pass


@Workflow(steps=[Worker], state=states.Flags)  # error: THN601
class WithFlags:
    pass


@Workflow(steps=[Worker], state=states.Described)  # error: THN601
class WithDescribed:
    pass


@Workflow(steps=[Worker], state=states.Describing)
class WithDescribing:
    pass


@Workflow(steps=[Worker], state=states.Dict)  # error: THN601
class WithDict:
    pass


@Workflow(steps=[Worker], state=states.Partial)  # error: THN601
class WithPartial:
    pass


@Workflow(steps=[Worker], state=states.PartialBelow)  # error: THN601
class WithPartialBelow:
    pass


@Workflow(steps=[Worker], state=states.Base)  # error: THN601
class WithBase:
    pass


@Workflow(steps=[Worker], state=states.StillAbstract)  # error: THN601
class WithStillAbstract:
    pass


@Workflow(steps=[Worker], state=states.Concrete)
class WithConcrete:
    pass


@Workflow(steps=[Worker], state=states.NotEnforced)
class WithNotEnforced:
    pass


@Workflow(steps=[Worker], state=states.EnforcedLate)
class WithEnforcedLate:
    pass


@Workflow(steps=[Worker], state=states.Metaclassed)
class WithMetaclassed:
    pass


@Workflow(steps=[Worker], state=states.Registered)
class WithRegistered:
    pass


@Workflow(steps=[Worker], state=states.Patched)
class WithPatched:
    pass


@Workflow(steps=[Worker], state=dict)
class WithBuiltIn:
    pass

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


@Workflow(steps=[Worker], state=states.Needing)
class WithNeeding:
    pass


@Workflow(steps=[Worker], state=states.Making)
class WithMaking:
    pass


@Workflow(steps=[Worker], state=states.MadeStatic)
class WithMadeStatic:
    pass


@Workflow(steps=[Worker], state=states.MakingAny)
class WithMakingAny:
    pass


@Workflow(steps=[Worker], state=states.Fields)
class WithFields:
    pass


@Workflow(steps=[Worker], state=states.Frozen)
class WithFrozen:
    pass


@Workflow(steps=[Worker], state=states.ThawedBelow)
class WithThawedBelow:
    pass


@Workflow(steps=[Worker], state=states.Defaults)
class WithDefaults:
    pass


@Workflow(steps=[Worker], state=states.FrozenByAttrs)
class WithFrozenByAttrs:
    pass


@Workflow(steps=[Worker], state=states.FrozenByOption)
class WithFrozenByOption:
    pass


@Workflow(steps=[Worker], state=states.ByAttrs)
class WithByAttrs:
    pass


@Workflow(steps=[Worker], state=states.Model)
class WithModel:
    pass


@Workflow(steps=[Worker], state=states.FrozenModel)
class WithFrozenModel:
    pass


@Workflow(steps=[Worker], state=states.FrozenHead)
class WithFrozenHead:
    pass


@Workflow(steps=[Worker], state=states.Pair)
class WithPair:
    pass


@Workflow(steps=[Worker], state=states.Kind)
class WithKind:
    pass


@Workflow(steps=[Worker], state=states.Flags)
class WithFlags:
    pass


@Workflow(steps=[Worker], state=states.Described)
class WithDescribed:
    pass


@Workflow(steps=[Worker], state=states.Describing)
class WithDescribing:
    pass


@Workflow(steps=[Worker], state=states.Dict)
class WithDict:
    pass


@Workflow(steps=[Worker], state=states.Base)
class WithBase:
    pass


@Workflow(steps=[Worker], state=states.StillAbstract)
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

/**
 * One service of a port out of one a family: each call goes to the family that it is about.
 *
 * A port says beside itself whose each of its calls is (`routeTreasury`); what a port does not say does not compile.
 */
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { FamilyRules } from "../../src/domain/families/FamilyRules.ts"

/** Forwards one method. `familyOf` finds the family in the method's arguments. */
type Forward<Service> = <Asked extends ReadonlyArray<unknown>, Answer>(
  method: (service: Service) => (...asked: Asked) => Answer,
  familyOf: (asked: NoInfer<Asked>) => FamilyRules
) => (...asked: Asked) => Answer

/** A port's service, made by forwarding each of its methods. */
export type Routing<Service> = (forward: Forward<Service>) => Service

/** Of calls whose first argument is the chain. */
export const ofChain = ([{ family }]: readonly [Chain, ...ReadonlyArray<unknown>]): FamilyRules => family

/** `serviceOf` is asked at every call. */
export const routed = <Service>(
  routing: Routing<Service>,
  serviceOf: (family: FamilyRules) => Service
): Service => routing((method, familyOf) => (...asked) => method(serviceOf(familyOf(asked)))(...asked))

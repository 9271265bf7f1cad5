/**
 * Makes one service of a port out of one service per family: each call goes to the family that it concerns.
 *
 * A port defines the family of each of its methods (`routeTreasury`). A method without a route does not compile.
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

/** The family of a call whose first argument is the chain. */
export const ofChain = ([{ family }]: readonly [Chain, ...ReadonlyArray<unknown>]): FamilyRules => family

/** Builds the routed service. `serviceOf` is called again at every call. */
export const routed = <Service>(
  routing: Routing<Service>,
  serviceOf: (family: FamilyRules) => Service
): Service => routing((method, familyOf) => (...asked) => method(serviceOf(familyOf(asked)))(...asked))

/** The Tron part of a simulated world: the chain, its endpoints, its own laws, and what the adversary plays there. */
import type { ChainView } from "../ChainView.ts"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import type { OpenStore } from "../Store.ts"
import { makeTronSentLaw } from "./SentLaw.ts"
import type { TronSentLaw } from "./SentLaw.ts"
import { drawTronAddressStrategy } from "./TronAddressStrategies.ts"
import type { TronAddressStrategy } from "./TronAddressStrategies.ts"
import { makeTronChain } from "./TronChain.ts"
import type { TronChain } from "./TronChain.ts"
import { makeTronNodes } from "./TronNodes.ts"
import type { TronNodes } from "./TronNodes.ts"
import { drawTronStrategies } from "./TronStrategies.ts"
import type { TronStrategy } from "./TronStrategies.ts"
import { tronView } from "./TronView.ts"

export interface TronWorld {
  readonly chain: TronChain
  readonly nodes: TronNodes
  readonly sentLaw: TronSentLaw
  readonly view: ChainView
  readonly strategies: ReadonlyArray<TronStrategy>
  readonly addressStrategies: ReadonlyArray<TronAddressStrategy>
}

interface Making {
  readonly dice: Dice
  readonly faults: Faults
  readonly isSolverPoor: boolean
  /** Names of strategies that are switched on. Those of other chains are ignored. */
  readonly adversary: ReadonlySet<string>
  /** Whether quotes can have deposit addresses. */
  readonly hasAddresses: boolean
  readonly store: () => OpenStore | undefined
  /** The ways in which a law is broken are added. */
  readonly broken: Array<string>
  readonly tell: (event: string) => void
}

export const makeTronWorld = (
  { adversary, broken, dice, faults, hasAddresses, isSolverPoor, store, tell }: Making
): TronWorld => {
  const chain = makeTronChain(dice.of("tron"), faults, isSolverPoor, tell)
  const sentLaw = makeTronSentLaw(chain, broken)
  const strategies = drawTronStrategies(adversary, dice.of("adversary on tron"))
  const addressStrategies = hasAddresses
    ? drawTronAddressStrategy(adversary, dice.of("adversary at addresses on tron"))
    : []
  const plays = [...strategies, ...addressStrategies]
  if (plays.length > 0) tell(`the adversary plays ${plays.join(", ")} on tron`)
  return {
    chain,
    sentLaw,
    strategies,
    addressStrategies,
    view: tronView(chain),
    nodes: makeTronNodes(chain, dice.of("tron nodes"), faults, tell, (bytes) => sentLaw.onSent(store(), bytes))
  }
}

/** The Bitcoin part of a simulated world: the chain, its endpoints, its own laws, and what the adversary plays there. */
import type { ChainView } from "../ChainView.ts"
import type { Dice } from "../Dice.ts"
import type { Faults } from "../Faults.ts"
import type { OpenStore } from "../Store.ts"
import { makeBitcoinChain } from "./BitcoinChain.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { makeBitcoinNodes } from "./BitcoinNodes.ts"
import type { BitcoinNodes } from "./BitcoinNodes.ts"
import { bitcoinView } from "./BitcoinView.ts"
import { drawCoinAddressStrategy } from "./CoinAddressStrategies.ts"
import type { CoinAddressStrategy } from "./CoinAddressStrategies.ts"
import { drawCoinStrategies } from "./CoinStrategies.ts"
import type { CoinStrategy } from "./CoinStrategies.ts"
import { makeBitcoinSentLaw } from "./SentLaw.ts"
import type { BitcoinSentLaw } from "./SentLaw.ts"

export interface BitcoinWorld {
  readonly chain: BitcoinChain
  readonly nodes: BitcoinNodes
  readonly sentLaw: BitcoinSentLaw
  readonly view: ChainView
  readonly strategies: ReadonlyArray<CoinStrategy>
  readonly addressStrategies: ReadonlyArray<CoinAddressStrategy>
}

interface Making {
  readonly dice: Dice
  readonly faults: Faults
  readonly isSolverPoor: boolean
  /** Names of strategies that are switched on. Those of other chains are ignored. */
  readonly adversary: ReadonlySet<string>
  /** Whether quotes can have deposit addresses. */
  readonly hasCoinAddresses: boolean
  readonly store: () => OpenStore | undefined
  /** The ways in which a law is broken are added. */
  readonly broken: Array<string>
  readonly tell: (event: string) => void
}

export const makeBitcoinWorld = (
  { adversary, broken, dice, faults, hasCoinAddresses, isSolverPoor, store, tell }: Making
): BitcoinWorld => {
  const chain = makeBitcoinChain(dice.of("bitcoin"), faults, isSolverPoor, tell)
  const sentLaw = makeBitcoinSentLaw(chain, broken)
  const strategies = drawCoinStrategies(adversary, dice.of("adversary on bitcoin"))
  const addressStrategies = hasCoinAddresses
    ? drawCoinAddressStrategy(adversary, dice.of("adversary at addresses on bitcoin"))
    : []
  const plays = [...strategies, ...addressStrategies]
  if (plays.length > 0) tell(`the adversary plays ${plays.join(", ")} on bitcoin`)
  return {
    chain,
    sentLaw,
    strategies,
    addressStrategies,
    view: bitcoinView(chain),
    nodes: makeBitcoinNodes(chain, dice.of("bitcoin nodes"), faults, tell, (bytes) => sentLaw.onSent(store(), bytes))
  }
}

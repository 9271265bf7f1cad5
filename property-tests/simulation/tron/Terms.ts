/** The fixed facts of the simulated Tron chain: its keys, accounts, prices and times. All keys are publicly known. */
import { Result } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../../src/domain/encoding/Signature.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { accountOfTron, tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"
import { keptByText } from "../Kept.ts"
import { accountKeys, keyOf, POOR_SOLVER_HOLDS, SOLVER_HOLDS, tronOdd, tronUsdt, USER_HOLDS } from "../Terms.ts"

/** How long a payment of the service can be executed, minutes of chain time. */
export const LIFETIME_MINUTES = 3
/** How many blocks the solidified one is behind the newest. */
export const SOLID_AFTER = 4

/** While nothing is dear, sun. Small ones, so that costs have the size of those on ledgers. */
export const USUAL_PRICES: TronPrices = {
  energy: 1n,
  bandwidth: 10n,
  memo: 5_000n,
  newAccount: 30_000n,
  mostFeeLimit: 10_000_000n
}
/** Of calls. `newHolder`: besides, where the recipient has nothing of the token. */
export const energies = {
  nativeDeposit: 15_000n,
  tokenDeposit: 10_000n,
  transfer: 6_000n,
  newHolder: 3_000n,
  approval: 2_000n,
  refused: 1_000n
} as const

export interface TronKey {
  readonly privateKey: Hex32
  /** In EVM form. */
  readonly evm: Address
  /** In Tron's spelling. */
  readonly address: Address
}

const evmOf = (account: string): Address => Result.getOrThrow(accountOfTron(account))

export const spelled = keptByText((evm: string): Address => Result.getOrThrow(tronOfAccount(evm)))

const tronKey = (privateKey: Hex32): TronKey => {
  const evm = Result.getOrThrow(accountOfKey(privateKey))
  return { privateKey, evm, address: spelled(evm) }
}

export const solverKey = keyOf(41)
export const solver = tronKey(solverKey)
/** The operator's own account, which refills the solver's. */
export const funder = tronKey(keyOf(47))
/** The accounts of users, then the adversary's: the same people as on ledgers. */
export const accounts: ReadonlyArray<TronKey> = accountKeys.map(tronKey)

const strangers: ReadonlySet<string> = new Set([funder, ...accounts].map(({ evm }) => evm))

/** Whether a transaction is of the service: of the solver, or the sweep of a deposit address. In EVM form. */
export const isOfService = (owner: Address | undefined): boolean => owner !== undefined && !strangers.has(owner)

/** The depository, in EVM form. */
export const contract = Address.make(`0x${"d0".repeat(20)}`)
export const depository = spelled(contract)

/** The tokens, in EVM form. */
export const [usdt, odd] = [evmOf(tronUsdt), evmOf(tronOdd)] as const
/** In EVM form. Undefined for TRX. */
export const tokenIn = (currency: string): Address | undefined =>
  currency === tronUsdt ? usdt : currency === tronOdd ? odd : undefined

/** What ODD keeps of a transfer, basis points, and who has it. */
export const KEPT_BPS = 50n
export const keeper = Address.make(`0x${"fe".repeat(20)}`)

/** What an operator sends when the solver lacks money, sun or units of a token. */
export const REFILL = SOLVER_HOLDS

/** Everybody's sun in the first block, and as many units of each token. */
export const holdings = (isSolverPoor: boolean): ReadonlyArray<readonly [Address, bigint]> => [
  [solver.evm, isSolverPoor ? POOR_SOLVER_HOLDS : SOLVER_HOLDS],
  [funder.evm, SOLVER_HOLDS * 1_000n],
  ...accounts.map(({ evm }) => [evm, USER_HOLDS] as const)
]

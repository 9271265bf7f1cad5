/** The fixed facts of the simulated Tron chain: its keys, accounts, prices and times. All keys are publicly known. */
import { Result } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../../src/domain/encoding/Signature.ts"
import type { TronPrices } from "../../../src/domain/families/tron/cost/TronCosts.ts"
import { tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"
import { accountKeys, keyOf, POOR_SOLVER_HOLDS, SOLVER_HOLDS, USER_HOLDS } from "../Terms.ts"

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
/** Of a deposit. */
export const DEPOSIT_ENERGY = 15_000n
/** Of a call that the contract refuses. */
export const REFUSED_ENERGY = 1_000n

export interface TronKey {
  readonly privateKey: Hex32
  /** In EVM form. */
  readonly evm: Address
  /** In Tron's spelling. */
  readonly address: Address
}

export const spelled = (evm: string): Address => Result.getOrThrow(tronOfAccount(evm))

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

/** The only contract of the chain, in EVM form. */
export const contract = Address.make(`0x${"d0".repeat(20)}`)
export const depository = spelled(contract)

/** What an operator sends when the solver lacks money, sun. */
export const REFILL = SOLVER_HOLDS

/** Everybody's sun in the first block. */
export const holdings = (isSolverPoor: boolean): ReadonlyArray<readonly [Address, bigint]> => [
  [solver.evm, isSolverPoor ? POOR_SOLVER_HOLDS : SOLVER_HOLDS],
  [funder.evm, SOLVER_HOLDS * 1_000n],
  ...accounts.map(({ evm }) => [evm, USER_HOLDS] as const)
]

/** The fixed facts of the simulated Bitcoin chain: its keys, accounts and coins. All keys are publicly known. */
import { getPublicKey } from "@noble/secp256k1"
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { addressOfScript } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { p2wpkhOf } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import { accountKeys, keyOf } from "../Terms.ts"

export const NETWORK = "regtest"
/** Blocks on top that make a block final, as in `configs/chains.local.json`. */
export const FINAL_AFTER = 6
/** Satoshi for a thousand virtual bytes, of blocks and of nodes' estimates, while nothing is dear. */
export const USUAL_RATE = 2_000n
/** How many times that, at most, while they are dear. */
export const MOST_TIMES_DEAR = 20

/** Satoshi: no node relays less to a P2WPKH address. */
export const LEAST_OUTPUT = 294n

/** A key, and the P2WPKH address that it spends. */
export interface CoinKey {
  readonly privateKey: Uint8Array
  /** Compressed. */
  readonly publicKey: Uint8Array
  readonly script: Uint8Array
  readonly address: Address
}

const coinKey = (key: Hex32): CoinKey => {
  const privateKey = hexToBytes(key)
  const publicKey = getPublicKey(privateKey, true)
  const script = p2wpkhOf(publicKey)
  return { privateKey, publicKey, script, address: Result.getOrThrow(addressOfScript(script, NETWORK)) }
}

export const solverKey = keyOf(31)
export const solver = coinKey(solverKey)
export const depository = coinKey(keyOf(35))
/** The operator's own account, which refills the solver's. */
export const funder = coinKey(keyOf(37))
/** The accounts of users, then the adversary's: the same people as on ledgers. */
export const accounts: ReadonlyArray<CoinKey> = accountKeys.map(coinKey)

const COIN = 100_000_000n
/** Satoshi of each coin that a user has at first: some suffice for one transfer, others do not. */
const USER_COINS = [20n, 10n, 10n, 5n, 5n, 2n, 1n, 1n].map((percent) => COIN * percent / 100n)
/** Few coins, so that payments at once need the change of others. */
const SOLVER_COINS = [2n * COIN, COIN]
/** With this little, most fills wait or become refunds. */
const POOR_SOLVER_COINS = [COIN / 100n, COIN / 200n]

/** What an operator sends when the solver lacks money, satoshi. */
export const REFILL = 3n * COIN
const FUNDER_COINS = Array.from({ length: 10 }, () => REFILL + COIN)

/** Everybody's coins in the first block. */
export const holdings = (isSolverPoor: boolean) => [
  ...(isSolverPoor ? POOR_SOLVER_COINS : SOLVER_COINS).map((amount) => ({ script: solver.script, amount })),
  ...FUNDER_COINS.map((amount) => ({ script: funder.script, amount })),
  ...accounts.flatMap(({ script }) => USER_COINS.map((amount) => ({ script, amount })))
]

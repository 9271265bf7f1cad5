/**
 * The keys of the network's parties on Bitcoin. Each is derived from the party's key on the EVM chains, as on Solana.
 *
 * SECURITY: the EVM key reveals the Bitcoin key, but not the other way round (sha256).
 */
import type { Keys } from "../../run/state/Keys.ts"
import { keyOfName } from "./node/LocalKey.ts"
import type { BitcoinKey } from "./node/LocalKey.ts"

export interface BitcoinKeys {
  readonly accounts: ReadonlyArray<BitcoinKey>
  readonly solver: BitcoinKey
}

const keyOf = (privateKey: string): BitcoinKey => keyOfName(`causeway.localnet.bitcoin:${privateKey}`)

export const bitcoinKeys = ({ accounts, solver }: Pick<Keys, "accounts" | "solver">): BitcoinKeys => ({
  accounts: accounts.map(keyOf),
  solver: keyOf(solver)
})

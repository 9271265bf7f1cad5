/**
 * The Ed25519 keys of the network's parties on Solana. Each is derived from the party's key on the EVM chains. So
 * keys.json has one key for each party, and networks from before Solana have these keys too.
 *
 * SECURITY: the EVM key reveals the Solana key, but not the other way round (sha256).
 */
import { base58 } from "@scure/base"
import type { Address } from "@solana/kit"
import { getAddressEncoder } from "@solana/kit"
import type { LocalKey } from "./node/LocalKey.ts"
import { keyOfName } from "./node/LocalKey.ts"
import type { Keys } from "../../run/state/Keys.ts"
import type { Parties } from "./Genesis.ts"

export interface SolanaKeys {
  readonly accounts: ReadonlyArray<LocalKey>
  readonly solver: LocalKey
  readonly allocator: LocalKey
}

const keyOf = (privateKey: string): LocalKey => keyOfName(`causeway.localnet.solana:${privateKey}`)

export const solanaKeys = ({ accounts, allocator, solver }: Keys): SolanaKeys => ({
  accounts: accounts.map(keyOf),
  solver: keyOf(solver),
  allocator: keyOf(allocator)
})

export const solanaParties = ({ accounts, allocator, solver }: SolanaKeys): Parties => ({
  accounts: accounts.map(({ address }) => address),
  solver: solver.address,
  allocator: allocator.address
})

/** A key as wallets import it: base58 of its 32 bytes and its address's. */
export const walletText = ({ address, seed }: LocalKey): string =>
  base58.encode(new Uint8Array([...seed, ...getAddressEncoder().encode(address satisfies Address)]))

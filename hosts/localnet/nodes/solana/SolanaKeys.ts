/**
 * The Ed25519 keys of the network's parties on Solana. Each follows from the party's key on the EVM chains, so that
 * keys.json has one key a party and networks of before Solana have them too.
 *
 * SECURITY: whoever has the one key has the other, and never the other way round (sha256).
 */
import { base58 } from "@scure/base"
import { createHash } from "node:crypto"
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

/** Of the transfer service's deposit addresses there: follows from the key that sweeps those of the EVM chains. */
export const depositSeed = ({ operator }: Pick<Keys, "operator">): `0x${string}` =>
  `0x${createHash("sha256").update(`causeway.localnet.deposit-addresses:${operator}`).digest("hex")}`

export const solanaParties = ({ accounts, allocator, solver }: SolanaKeys): Parties => ({
  accounts: accounts.map(({ address }) => address),
  solver: solver.address,
  allocator: allocator.address
})

/** A key as wallets import it: base58 of its 32 bytes and those of its address. */
export const walletText = ({ address, seed }: LocalKey): string =>
  base58.encode(new Uint8Array([...seed, ...getAddressEncoder().encode(address satisfies Address)]))

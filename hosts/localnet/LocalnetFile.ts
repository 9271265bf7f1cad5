/**
 * `.causeway/localnet.json`: what other programs need to use a running local
 * network. It is there exactly while everything in it answers.
 *
 * Later versions add members and never change one.
 */
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import { rmSync } from "node:fs"
import type { LocalnetError } from "./LocalnetError.ts"
import { write } from "./AtomicFile.ts"

const Hex = Schema.TemplateLiteral(["0x", Schema.String])
const Address = Hex.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))
const PrivateKey = Hex.check(Schema.isPattern(/^0x[0-9a-f]{64}$/))
const Account = Schema.Struct({ address: Address, privateKey: PrivateKey })

export const Localnet = Schema.Struct({
  environment: Schema.Literal("local"),
  transferUrl: Schema.String,
  oracleUrl: Schema.String,
  chains: Schema.Array(Schema.Struct({
    /** The protocol's id. */
    id: Schema.String,
    /** The number of the transfer API. */
    chainId: Schema.Int,
    vmType: Schema.Literal("ethereum-vm"),
    rpcUrl: Schema.String,
    depository: Address,
    router: Address,
    /** Makes deposit addresses. */
    depositFactory: Address,
    tokens: Schema.Array(Schema.Struct({ symbol: Schema.String, address: Address, decimals: Schema.Int })),
    /** True on the one chain that holds app balances. */
    settlement: Schema.Boolean
  })),
  hub: Schema.Struct({ rpcUrl: Schema.String, chainId: Schema.Int, hubAddress: Address, oracleAddress: Address }),
  accounts: Schema.Array(Account),
  solver: Account,
  allocator: Account,
  adminToken: Schema.String,
  demo: Schema.Struct({
    /** Linked to `sponsorWallet`, one of `accounts`. */
    apiKey: Schema.String,
    oracleApiKey: Schema.String,
    sponsorWallet: Address,
    /** Decimal dollars: what was unspent when the network started. */
    balanceUsd: Schema.String
  }),
  pid: Schema.Int
})
export type Localnet = typeof Localnet.Type

/** Writes the file until the scope closes. */
export const publish = (path: string, localnet: Localnet): Effect.Effect<void, LocalnetError, Scope.Scope> =>
  Effect.acquireRelease(
    write(path, `${JSON.stringify(localnet, null, 2)}\n`),
    () => Effect.sync(() => rmSync(path, { force: true }))
  )

/**
 * `.causeway/localnet.json`: what other programs need to use a running local network. It exists exactly while
 * everything in it answers.
 *
 * Later versions add members and never change one.
 */
import { Effect, Schema } from "effect"
import type { Scope } from "effect"
import { rmSync } from "node:fs"
import type { LocalnetError } from "../LocalnetError.ts"
import { write } from "./AtomicFile.ts"

const Hex = Schema.TemplateLiteral(["0x", Schema.String])
const Address = Hex.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))
const PrivateKey = Hex.check(Schema.isPattern(/^0x[0-9a-f]{64}$/))
const Account = Schema.Struct({ address: Address, privateKey: PrivateKey })
const IndexedAccount = Schema.Struct({ index: Schema.Int, address: Address, privateKey: PrivateKey })
const Base58 = Schema.String.check(Schema.isPattern(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/))
const BitcoinAccount = Schema.Struct({
  address: Schema.String,
  privateKey: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
})
const TronAddress = Schema.String.check(Schema.isPattern(/^T[1-9A-HJ-NP-Za-km-z]{33}$/))
const TronAccount = Schema.Struct({
  address: TronAddress,
  privateKey: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
})
const SolanaAccount = Schema.Struct({
  address: Base58,
  privateKey: Schema.String.check(Schema.isPattern(/^[1-9A-HJ-NP-Za-km-z]{80,88}$/))
})

export const Localnet = Schema.Struct({
  environment: Schema.Literal("local"),
  transferUrl: Schema.String,
  oracleUrl: Schema.String,
  chains: Schema.Array(Schema.Struct({
    /** The protocol's id. */
    id: Schema.String,
    /** The number in the transfer API. */
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
  /** Left out when the network runs without it. */
  solana: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    chainId: Schema.Int,
    vmType: Schema.Literal("solana-vm"),
    rpcUrl: Schema.String,
    webSocketUrl: Schema.String,
    genesisHash: Schema.String,
    /** The program's id. */
    depository: Base58,
    /** The account of the program that names owner and allocator. */
    depositoryAccount: Base58,
    vault: Base58,
    /** What withdrawal requests have to name. */
    domain: Hex,
    tokens: Schema.Array(
      Schema.Struct({ symbol: Schema.String, address: Base58, decimals: Schema.Int, program: Base58 })
    ),
    /** For the accounts at the same positions in `accounts`. Keys as wallets import them, base58 of 64 bytes. */
    accounts: Schema.Array(SolanaAccount),
    solver: SolanaAccount,
    allocator: SolanaAccount
  })),
  /** Left out unless the network runs with it. */
  bitcoin: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    chainId: Schema.Int,
    vmType: Schema.Literal("bitcoin-vm"),
    rpcUrl: Schema.String,
    explorerUrl: Schema.String,
    /** Keys in hex. The faucet's coins are those of the first blocks. */
    depository: BitcoinAccount,
    faucet: BitcoinAccount,
    /** For the accounts at the same positions in `accounts`, each with coins of its own. */
    accounts: Schema.Array(BitcoinAccount),
    solver: BitcoinAccount
  })),
  /** Also optional. Its accounts are `accounts`, with the same keys, which tronweb takes in hex without 0x. */
  tron: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    chainId: Schema.Int,
    vmType: Schema.Literal("tron-vm"),
    /** The URL of the HTTP interface, tronweb's `fullHost`. */
    rpcUrl: Schema.String,
    jsonRpcUrl: Schema.String,
    depository: TronAddress,
    router: TronAddress,
    vault: TronAddress,
    tokens: Schema.Array(Schema.Struct({ symbol: Schema.String, address: TronAddress, decimals: Schema.Int })),
    accounts: Schema.Array(TronAccount),
    solver: TronAccount,
    allocator: TronAccount,
    faucet: TronAccount
  })),
  /** Also optional. Its accounts are `accounts`, with the same keys. */
  exchangeA: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    chainId: Schema.Int,
    vmType: Schema.Literal("exchangea-vm"),
    /** `/info`, `/exchange` and `/explorer` are below it. */
    rpcUrl: Schema.String,
    depository: Account,
    accounts: Schema.Array(Account),
    solver: Account
  })),
  /** Also optional. Keys are those of the accounts' Ethereum accounts, which sign transfers. */
  exchangeB: Schema.optionalKey(Schema.Struct({
    id: Schema.String,
    chainId: Schema.Int,
    vmType: Schema.Literal("exchangeb-vm"),
    rpcUrl: Schema.String,
    depository: IndexedAccount,
    accounts: Schema.Array(IndexedAccount),
    solver: IndexedAccount
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

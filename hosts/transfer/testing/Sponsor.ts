/** A sponsor as operators set one up: a key with a linked wallet and a credited balance; and its ledger afterwards. */
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as SqlApiKeys from "../../../adapters/storage/clients/ApiKeys.ts"
import * as SqlBudgets from "../../../adapters/storage/ledger/Budgets.ts"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../../adapters/storage/engine/Migrations.ts"
import * as SqlLedger from "../../../adapters/storage/ledger/Ledger.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import type { BudgetChange } from "../../../ports/store/ledger/Budgets.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import { credit } from "../../../src/domain/ledger/Movements.ts"
import { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"
import { rowsBeside } from "./BesideStore.ts"

export interface TestSponsor {
  /** The key's id. The key itself is `secret-<id>`. */
  readonly id: string
  /** Undefined: the key has no wallet. */
  readonly wallet: string | undefined
  /** Micro-USDC. */
  readonly balance: bigint
  readonly defaultCap?: bigint
  readonly budget?: BudgetChange
}

/** The header of a sponsor's requests. */
export const keyOf = ({ id }: Pick<TestSponsor, "id">): Readonly<Record<string, string>> => ({
  "x-api-key": `secret-${id}`
})

/** On the local network: USDC on beta, the settlement chain. */
const currency = {
  chainId: ChainId.make(chainIdOf.beta),
  address: CurrencyAddress.make(addressOf("TestUSDC").toLowerCase())
}

const addOne = Effect.fnUntraced(function*({ balance, budget, defaultCap, id, wallet }: TestSponsor) {
  const keys = yield* ApiKeys
  const ledger = yield* Ledger
  const budgets = yield* Budgets
  yield* keys.add(
    {
      id: ApiKeyId.make(id),
      label: id,
      ...(wallet === undefined ? {} : { wallet: Address.make(wallet) }),
      ...(defaultCap === undefined ? {} : { defaultCap: MicroUsdc(defaultCap) })
    },
    apiKeyHash(`secret-${id}`),
    1
  )
  if (budget !== undefined) yield* budgets.change(ApiKeyId.make(id), budget)
  if (wallet === undefined || balance === 0n) return
  const movement = credit({
    id: LedgerId.make(`credit:test:${id}`),
    currency,
    wallet: Address.make(wallet),
    units: balance
  })
  yield* ledger.post(Result.getOrThrow(movement), 1)
})

const stores = (url: string) =>
  Layer.mergeAll(SqlApiKeys.layer, SqlBudgets.layer, SqlLedger.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provide(layerDatabase(Redacted.make(url)))
  )

/** Adds sponsors to a store that no host owns now. */
export const addSponsors = (url: string, sponsors: ReadonlyArray<TestSponsor>) =>
  Effect.forEach(sponsors, addOne, { discard: true }).pipe(Effect.provide(stores(url)), Effect.orDie)

const decodeAccounts = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      account: Schema.String,
      chain_id: Schema.Union([Schema.Int, Schema.BigInt]),
      currency: Schema.String,
      balance: Schema.BigIntFromString
    })
  )
)

/** Rows of a running host's store: an embedded one may be read beside its owner, PostgreSQL is shared. */
const rowsOf = (url: string, query: string): Effect.Effect<ReadonlyArray<unknown>> =>
  url.startsWith("sqlite:")
    ? rowsBeside(url, query)
    : Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(query)).pipe(
      Effect.provide(layerDatabase(Redacted.make(url))),
      Effect.orDie
    )

/** Every account of the ledger with a balance: its key, smallest units. */
export const ledgerOf = (url: string): Effect.Effect<Readonly<Record<string, bigint>>> =>
  Effect.map(
    rowsOf(url, "SELECT account, chain_id, currency, balance FROM ledger_accounts ORDER BY account"),
    (rows) =>
      Object.fromEntries(
        decodeAccounts(rows).filter(({ balance }) => balance !== 0n).map((
          { account, balance, chain_id: chainId, currency: address }
        ) => [
          BigInt(chainId) === BigInt(currency.chainId) && address === currency.address
            ? account
            : `${account}@${chainId}:${address}`,
          balance
        ])
      )
  )

const decodeKinds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ kind: Schema.String })))

/** The kinds of the ledger's movements for a request, in the order of their ids. */
export const movementsOf = (url: string, requestId: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(
    rowsOf(url, `SELECT kind FROM ledger_transactions WHERE id LIKE '%${requestId}%' ORDER BY id`),
    (rows) => decodeKinds(rows).map(({ kind }) => kind)
  )

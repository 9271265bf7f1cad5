/**
 * Stores of earlier releases are migrated with the sponsorships of their open deposit addresses marked as used where
 * they were used (0027).
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { migrate } from "../engine/Migrations.ts"
import * as SqlLedger from "../ledger/Ledger.ts"
import * as SqlSponsorHolds from "../ledger/SponsorHolds.ts"
import { describeEngines } from "../testing/engines.ts"
import { migrations } from "./index.ts"

const NAME = "0027_address_sponsorships"
const names = Object.keys(migrations)
const upTo = (last: string | undefined) =>
  migrate(Object.fromEntries(Object.entries(migrations).slice(0, names.indexOf(last ?? "") + 1)))

const addressOf = (n: number) => Address.make(`0x${`a${n}`.repeat(20)}`)
const requestOf = (n: number) => RequestId.make(`0x${`b${n}`.repeat(32)}`)

describeEngines((_name, engine) => {
  it.live("an address's quoted sponsorship counts as used where it was held or settled, and nowhere else", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* upTo(names[names.indexOf(NAME) - 1])
      const states = ["open", "settled", "released", "none"] as const
      for (const [n, state] of [...states, "settled" as const].entries()) {
        yield* sql`INSERT INTO deposit_addresses ${
          sql.insert({
            address: addressOf(n),
            chain_id: 1,
            mode: n === states.length ? "strict" : "open",
            request_id: requestOf(n),
            order_id: requestOf(n),
            depositor: addressOf(n),
            currency: addressOf(9),
            created_at: 1,
            touched_at: 1
          })
        }`
        yield* sql`INSERT INTO sponsor_holds ${
          sql.insert({ request_id: requestOf(n), state, round: 1, held: "5", held_at: 1 })
        }`
      }
      yield* migrate(migrations)
      const holds = yield* SponsorHolds
      const used = yield* Effect.forEach([0, 1, 2, 3, 4], (n) => holds.atAddress(addressOf(n)))
      assert.deepStrictEqual(used, [requestOf(0), requestOf(1), undefined, undefined, undefined])
      // A hold from before the migration is released like one made since.
      const rows = yield* sql<
        { readonly address: string | null }
      >`SELECT address FROM sponsor_holds ORDER BY request_id`
      assert.deepStrictEqual(rows.map(({ address }) => address), [addressOf(0), addressOf(1), null, null, null])
    }).pipe(Effect.provide(Layer.provide(SqlSponsorHolds.layer, SqlLedger.layer).pipe(Layer.provideMerge(engine)))))
})

/**
 * Two workers over one PostgreSQL pay on Tron at once, from one account: nothing on the chain counts its payments, and
 * each order is paid once, also when one worker is killed and the other takes its work over.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readStored } from "../../../../src/domain/families/tron/payment/StoredPayment.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { execute, quote } from "../../testing/Client.ts"
import { slowingBlocks } from "../../testing/SlowingBlocks.ts"
import { isSentBy, toTron } from "../../testing/TronClient.ts"
import { newTronAddress, startTronNetwork, TRX } from "../../testing/TronNetwork.ts"
import { payByTwoWorkers } from "../../testing/TwoWorkers.ts"

const programs = requirePostgres()

const TRANSFERS = 14

describe.skipIf(programs === undefined)("two workers with Tron over one PostgreSQL", () => {
  it.live("pay each order once in TRX and USDT, also when one of them is killed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, heldOnTron, key, tron, tronSolver, user } = yield* startTronNetwork
      const begin = Effect.fnUntraced(function*(url: string, index: number) {
        const [recipient, currency] = [newTronAddress(), index % 2 === 0 ? TRX : usdt]
        const quoted = yield* quote(url, toTron(user(index), recipient, chains.alpha.chainId, currency))
        return { quoted, recipient, currency }
      })
      const { all, payments } = yield* payByTwoWorkers({
        environment,
        programs: programs ?? { initdb: "", pgCtl: "" },
        transfers: TRANSFERS,
        begin,
        pay: ({ quoted }, index) => execute(chains.alpha, key(index), quoted),
        mining: slowingBlocks(tron.mine(7))
      })
      // Whatever else was signed would be executed by now.
      yield* tron.mine(25)
      for (const { currency, quoted, recipient } of all) {
        assert.strictEqual(yield* heldOnTron(currency, recipient), BigInt(quoted.details.currencyOut.amount))
      }
      const ids = payments.flatMap((raw) => readStored(raw)?.transaction.id ?? [])
      assert.lengthOf(payments, TRANSFERS)
      assert.lengthOf(new Set(ids), TRANSFERS)
      const { ledger } = tron.chain
      const sent = [...ledger.from(1, ledger.tip.number)].flatMap(({ executed }) => executed)
        .map(({ transaction }) => transaction)
        .filter((transaction) => isSentBy(tronSolver, transaction))
      assert.deepStrictEqual(sent.map(({ txID }) => txID).toSorted(), ids.toSorted())
    })))
})

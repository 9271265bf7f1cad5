/** A quote of last week that nobody paid is forgotten when the service starts; one that was filled stays, whatever its age. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { privateKeyToAccount } from "viem/accounts"
import { ended, nativeRequest, quote, sendDeposit, status } from "./testing/Client.ts"
import { closed, eventually } from "./testing/Misbehaving.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

const DAY = 24 * 3600

/** Has everything in a store be quoted eight days earlier than it was; what it promised has then passed. */
const age = (file: string) =>
  Effect.sync(() => {
    const store = new DatabaseSync(file, { timeout: 5_000 })
    for (const { id, order_json } of store.prepare("SELECT id, order_json FROM transfers").all()) {
      const older = String(order_json).replaceAll(/"deadline":(\d+)/g, (_, deadline: string) => `"deadline":${Number(deadline) - 8 * DAY}`)
      store.prepare("UPDATE transfers SET order_json = ?, quoted_at = quoted_at - ? WHERE id = ?").run(older, 8 * DAY * 1000, id ?? "")
    }
    store.close()
  })

it.live("unpaid quotes of last week are forgotten, and a deposit that comes for one is nobody's", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, environment, startHost } = yield* startNetwork
    const before = yield* startHost()
    const ask = (index: number) =>
      quote(before.url, nativeRequest(privateKeyToAccount(chains.users[index] ?? "0x").address, chains.alpha, chains.beta, 10n ** 16n))
    const [unpaid, paid] = [yield* ask(0), yield* ask(1)]
    yield* sendDeposit(chains.alpha, chains.users[1] ?? "0x", paid)
    assert.strictEqual((yield* ended(before.url, paid)).status, "success")
    yield* before.kill("SIGTERM")
    yield* age((environment["DATABASE_URL"] ?? "").slice("sqlite:".length))

    const { url } = yield* startHost()
    yield* eventually("the unpaid one is unknown", status(url, unpaid), (answer) => answer.status === "unknown")
    assert.strictEqual((yield* status(url, paid)).status, "success")
    yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", unpaid)
    yield* eventually("its deposit is nobody's", closed(url, "foreign"), (count) => count === 1)
    assert.strictEqual((yield* status(url, unpaid)).status, "unknown")
  })))

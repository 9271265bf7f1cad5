/**
 * What another process writes wakes the worker by a notice: here nothing else could, because a lost notice would go
 * unnoticed for an hour.
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Duration, Effect, Layer, Redacted } from "effect"
import { parseEther, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { layerDatabase } from "../../../../adapters/storage/engine/Database.ts"
import * as SqlPauses from "../../../../adapters/storage/operations/Pauses.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { Pauses } from "../../../../ports/store/operations/Pauses.ts"
import { SlowPoll } from "../../../../ports/store/operations/SlowPoll.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { pauseId } from "../../../../src/domain/pause/Pause.ts"
import type { PauseScope } from "../../../../src/domain/pause/Pause.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, nativeRequest, quote, sendCall, sendDeposit, status } from "../../testing/Client.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { held, USDC } from "../../testing/Tokens.ts"
import { layerMeasuredHost } from "../../TransferHost.ts"
import { marked, transferCall } from "../app-balance/testing/CreditFixture.ts"
import { askPayout, balanceOf, payoutEnded } from "../app-balance/testing/SignedPayouts.ts"
import { ADMIN_TOKEN, resume } from "../misbehaviour/testing/Halted.ts"

const programs = requirePostgres()

const test = Effect.gen(function*() {
  const { chains, environment, startHost } = yield* startNetwork
  const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
  const url = yield* server.createDatabase
  const DATABASE_URL = Redacted.value(url)
  yield* Layer.build(layerMeasuredHost.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({
      ...environment,
      DATABASE_URL,
      RUNNER_PORT: `${yield* anyFree}`,
      CREDITS_FROM_BLOCK: "0"
    }))),
    Layer.provide(Layer.succeed(SlowPoll, Duration.hours(1)))
  ))
  const api = yield* startHost({ DATABASE_URL, ADMIN_TOKEN, TRANSFER_PORT: `${yield* anyFree}` })
  const another = Context.get(
    yield* Layer.build(SqlPauses.layer.pipe(Layer.provide(layerDatabase(url, { maxConnections: 1 })))),
    Pauses
  )

  // A payout that another process has accepted.
  const key = chains.users[5] ?? "0x"
  const wallet = privateKeyToAccount(key).address
  yield* sendCall(chains.beta, key, {
    to: USDC.address,
    data: transferCall(chains.solver, 5_000_000n, marked(wallet))
  })
  yield* eventually("the credit is seen", balanceOf(api.url, wallet), ({ amount }) => amount === "5000000")
  const recipient = toHex(0x9057_0002, { size: 20 })
  const asked = yield* askPayout(api.url, chains, key, { kind: "withdraw", recipient, amount: 2_000_000n, nonce: 1n })
  assert.strictEqual((yield* payoutEnded(asked, api.url)).status, "success")
  assert.strictEqual(yield* held(chains.beta, USDC, recipient), 2_000_000n)

  // A halt by another process, and its end by an operator at a third one.
  const user = privateKeyToAccount(chains.users[0] ?? "0x").address
  const request = nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1"))
  const quoted = yield* quote(api.url, request)
  const scope: PauseScope = {
    _tag: "Halt",
    chainId: ChainId.make(chains.beta.chainId),
    height: 1n,
    expected: "0x01",
    found: "0x02"
  }
  yield* another.add({ id: pauseId(scope), scope, reason: "a test", createdAt: 1 })
  yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", quoted)
  yield* eventually("the filling waits", status(api.url, quoted), (answer) => answer.status === "delayed")
  assert.strictEqual((yield* resume(api.url, chains.beta.chainId)).status, 200)
  assert.strictEqual((yield* ended(api.url, quoted)).status, "success")

  // A send, quoted by another process on a chain where none was awaited.
  const send = yield* quote(api.url, nativeRequest(user, chains.alpha, chains.alpha, parseEther("0.1"), { recipient }))
  assert.deepStrictEqual(send.steps.map(({ id }) => id), ["send"])
  yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", send)
  assert.strictEqual((yield* ended(api.url, send)).status, "success")
})

describe.skipIf(programs === undefined)("notices of the store", () => {
  it.live(
    "start a payout, end a halt and begin to look for a send that other processes have written",
    () => Effect.scoped(test)
  )
})

/**
 * A host whose signer fails, or hangs, and then works again: each order is paid once, no sequence is lost, and whoever
 * waits is told. The host runs within this process, so that its signers are the test's.
 */
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Logger, Schema } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseEther, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Secp256k1Signer } from "../../../../ports/signing/Signer.ts"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { localSigners, Signing } from "../../config/Signing.ts"
import { ended, execute, nativeRequest, post, quote, reader, status } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { counter, eventually, paymentsOf } from "../../testing/Misbehaving.ts"
import { startChains } from "../../testing/TestChains.ts"
import { ETH, held } from "../../testing/Tokens.ts"
import { environmentOf } from "../../testing/TransferNetwork.ts"
import { layerTransferHost } from "../../TransferHost.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "causeway-signer-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** What the solver's signer does now, and what it was asked for. */
const makeControl = () => ({
  does: "signs" as "signs" | "fails" | "hangs",
  refused: 0,
  hanging: 0,
  /** Of those that hung, how many nobody waits for any more. */
  abandoned: 0
})
type Control = ReturnType<typeof makeControl>

const controlled = (control: Control, signer: Secp256k1Signer): Secp256k1Signer => ({
  ...signer,
  sign: (digest) =>
    Effect.suspend(() => {
      switch (control.does) {
        case "signs":
          return signer.sign(digest)
        case "fails":
          control.refused += 1
          return Effect.fail(new SignerUnavailable({ fault: "unreachable" }))
        case "hangs":
          control.hanging += 1
          return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (control.abandoned += 1)))
      }
    })
})

const makeRunning = Effect.gen(function*() {
  const folder = yield* temporaryFolder
  const chains = yield* startChains
  const port = yield* anyFree
  const control = makeControl()
  const said: Array<string> = []
  yield* Effect.orDie(Layer.build(
    Layer.fresh(layerTransferHost).pipe(Layer.provide([
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(environmentOf(chains, join(folder, "transfer.db"), port))),
      Layer.succeed(
        Signing,
        (keys) =>
          Effect.map(localSigners(keys), (signers) => ({ ...signers, solver: controlled(control, signers.solver) }))
      ),
      Logger.layer([Logger.make(({ logLevel, message }) => void said.push(`${logLevel}: ${String(message)}`))])
    ]))
  ))
  const key = (index: number): Hex => chains.users[index] ?? "0x"
  return { chains, control, said, url: `http://127.0.0.1:${port}`, key }
})

class Running extends Context.Service<Running, Effect.Success<typeof makeRunning>>()("test/FailingSigner") {
  static readonly layer = Layer.effect(Running, makeRunning)
}

/** An order that is never paid ends its test. */
const TIMEOUT = 120_000

const fresh = (index: number) => toHex(0xf0000000000 + index, { size: 20 })

const request = (index: number) =>
  Effect.map(
    Running,
    ({ chains: { alpha, beta }, key }) =>
      nativeRequest(privateKeyToAccount(key(index)).address, alpha, beta, parseEther("0.1"), {
        recipient: fresh(index)
      })
  )

/** Quotes that were given while the signer signed, and whose deposits are sent. */
const deposited = (...indexes: ReadonlyArray<number>) =>
  Effect.forEach(indexes, (index) =>
    Effect.gen(function*() {
      const { url } = yield* Running
      return { index, quoted: yield* quote(url, yield* request(index)) }
    }))

/** The next sequence of the solver's account, by what is in blocks and by what its node waits for. */
const sequences = Effect.flatMap(
  Running,
  ({ chains: { beta, solver } }) =>
    Effect.promise(() =>
      Promise.all(
        (["latest", "pending"] as const).map((blockTag) =>
          reader(beta).getTransactionCount({ address: solver, blockTag })
        )
      )
    )
)

type Deposited = Effect.Success<ReturnType<typeof deposited>>

/** Each order was paid by one transaction, with the amount that was promised, under sequences without a gap. */
const assertPaidOnce = (orders: Deposited, first: number) =>
  Effect.gen(function*() {
    const { chains: { beta, solver }, url } = yield* Running
    for (const { index, quoted } of orders) {
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      assert.strictEqual(`${yield* held(beta, ETH, fresh(index))}`, quoted.details.currencyOut.amount)
      assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 1)
    }
    assert.deepStrictEqual(yield* sequences, [first + orders.length, first + orders.length])
  })

const QuoteFailure = Schema.Struct({
  errorCode: Schema.String,
  message: Schema.String,
  requestId: Schema.String,
  retryable: Schema.Boolean,
  statusCode: Schema.Int
})

/** What a quote is answered with that cannot be signed: nothing of it is kept. */
const assertUnsigned = Effect.fnUntraced(function*(index: number) {
  const { url } = yield* Running
  const answer = yield* post(`${url}/quote`, yield* request(index))
  assert.strictEqual(answer.status, 503, answer.text)
  const { requestId, ...failure } = Schema.decodeUnknownSync(QuoteFailure)(answer.json())
  assert.deepStrictEqual(failure, {
    errorCode: "SERVICE_UNAVAILABLE",
    message: "the signer does not answer now; try again",
    retryable: true,
    statusCode: 503
  })
  assert.include((yield* get(`${url}/intents/status?requestId=${requestId}`)).text, "no request has this id")
})

layer(Running.layer, { excludeTestServices: true })("a transfer host whose signer", (it) => {
  it.effect(
    "fails several times pays each order once when it works again, and reports meanwhile what it waits for",
    () =>
      Effect.gen(function*() {
        const { chains: { alpha }, control, key, said, url } = yield* Running
        const orders = yield* deposited(0, 1)
        const [first = 0] = yield* sequences
        const retries = yield* counter(url, "retries_total", "fill.pay")
        said.length = 0
        control.does = "fails"
        for (const { index, quoted } of orders) yield* execute(alpha, key(index), quoted)
        // Both are tried, and tried again.
        yield* eventually("six refusals", Effect.sync(() => control.refused), (refused) => refused >= 6)
        for (const { quoted } of orders) {
          yield* eventually(
            "the deposit is seen",
            status(url, quoted),
            (answer) => ["pending", "delayed"].includes(answer.status)
          )
        }
        assert.include(said, "Warn: fill.pay: the signer does not answer now; try again")
        assert.isAbove(yield* counter(url, "retries_total", "fill.pay"), retries)
        assert.deepStrictEqual(yield* sequences, [first, first])
        control.does = "signs"
        yield* assertPaidOnce(orders, first)
      }),
    TIMEOUT
  )

  it.effect(
    "hangs is waited for no longer than its time limit: the order is paid once, by a later signature",
    () =>
      Effect.gen(function*() {
        const { chains: { alpha }, control, key } = yield* Running
        const orders = yield* deposited(2)
        const [first = 0] = yield* sequences
        control.does = "hangs"
        for (const { index, quoted } of orders) yield* execute(alpha, key(index), quoted)
        yield* eventually("a signature hangs", Effect.sync(() => control.hanging), (hanging) => hanging === 1)
        control.does = "signs"
        yield* assertPaidOnce(orders, first)
        assert.deepStrictEqual([control.hanging, control.abandoned], [1, 1])
      }),
    TIMEOUT
  )

  it.effect(
    "fails or hangs refuses quotes with a 503 that may be retried, and gives the next when it works again",
    () =>
      Effect.gen(function*() {
        const { chains: { alpha }, control, key, url } = yield* Running
        const [first = 0] = yield* sequences
        for (const does of ["fails", "hangs"] as const) {
          control.does = does
          yield* assertUnsigned(3)
        }
        control.does = "signs"
        const quoted = yield* quote(url, yield* request(3))
        yield* execute(alpha, key(3), quoted)
        yield* assertPaidOnce([{ index: 3, quoted }], first)
      }),
    TIMEOUT
  )
})

/**
 * The pairs of families again, with a sponsor that pays the fees, and with a service that is killed and started again
 * while all of them are on their way. CI tries a part of the pairs for each commit.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Semaphore } from "effect"
import { chosenOf, partOf } from "../../../../scripts/testing/Sample.ts"
import { tally } from "../../../../scripts/testing/Tally.ts"
import { startFixture } from "../../testing/Fixture.ts"
import type { HostProcess } from "../../testing/HostProcess.ts"
import { assertOnHub, assertWalked } from "../../testing/matrix/Books.ts"
import { matrixFamilies } from "../../testing/matrix/Families.ts"
import { nameOf, waysOf, wayOver } from "../../testing/matrix/Plan.ts"
import { startMatrix } from "../../testing/matrix/StartMatrix.ts"
import { walk } from "../../testing/matrix/Way.ts"
import { ledgerOf } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { eventually } from "../../testing/Misbehaving.ts"

const deposits = waysOf(matrixFamilies, () => false).filter(({ byAddress, ends }) =>
  byAddress !== true && (ends === "fill" || ends === "refund")
)

/** Quotes that wait for their payment. */
const AT_ONCE = 6

/** Then the service is left alone until all have ended. */
const KILLS = partOf(40)

/** Micro-USDC. */
const BALANCE = 10_000_000_000n
const sponsor = { id: "matrix", wallet: `0x${"5b".repeat(20)}`, balance: BALANCE }

describe("every family to every other", () => {
  it.live("sponsored: the recipient loses no fee, and the sponsor pays what each fill cost, once", () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startFixture(startMatrix(matrixFamilies), {
        settings: ({ settling }) => settling,
        sponsors: [sponsor]
      })
      const { chains: { solver }, families, held, hub, store, url } = network
      const host = { url, hub, solver, paying: yield* Semaphore.make(AT_ONCE) }
      const ways = chosenOf(deposits.filter(({ ends, from, to }) => ends === "fill" && from !== to))
      const walked = yield* Effect.forEach(ways, (way) =>
        Effect.gen(function*() {
          const done = yield* walk(host, { ...wayOver(families, way), apiKey: `secret-${sponsor.id}` })
          const actual = yield* eventually(
            `the sponsor has paid: ${nameOf(way)}`,
            actualOf(url, { steps: [{ requestId: done.request }] }),
            (known) => known !== undefined
          )
          return { way, done, actual }
        }), { concurrency: "unbounded" })
      for (const { actual, done, way } of walked) {
        assertWalked(way, done)
        assert.strictEqual(actual?.userPaysTotal.amount, "0", nameOf(way))
      }
      yield* assertOnHub({ held, solver }, ways.map((way) => wayOver(families, way)))
      const paid = walked.reduce((sum, { actual }) => sum + BigInt(actual?.sponsorPayment.amount ?? 0), 0n)
      assert.isTrue(paid > 0n)
      const books = yield* ledgerOf(store)
      assert.strictEqual(books[`Wallet:${sponsor.wallet}`], BALANCE - paid)
      assert.isFalse(Object.keys(books).some((account) => account.startsWith("Hold:")))
    })))

  it.live(`killed ${KILLS} times while all are on their way: each is delivered or refunded once, to the unit, and settled`, () =>
    Effect.scoped(Effect.gen(function*() {
      const network = yield* startMatrix(matrixFamilies)
      const { chains: { solver }, families, held, hub, settling, startHost } = network
      // Nobody quotes or pays while the service is away.
      const paying = yield* Semaphore.make(AT_ONCE)
      let running: HostProcess = yield* startHost(settling)
      let kills = 0
      const killing = Effect.gen(function*() {
        yield* Effect.sleep(yield* Random.nextIntBetween(200, 3_000))
        yield* paying.withPermits(AT_ONCE)(Effect.gen(function*() {
          yield* running.kill("SIGKILL")
          kills += 1
          tally("kills", 1)
          running = yield* startHost(settling)
        }))
      })
      const host = { url: running.url, hub, solver, paying }
      const ways = chosenOf(deposits)
      const walking = Effect.forEach(
        ways,
        (way) => Effect.map(walk(host, wayOver(families, way)), (done) => ({ way, done })),
        {
          concurrency: "unbounded"
        }
      )
      const killed = Effect.andThen(Effect.forEach(Array.from({ length: KILLS }), () => killing), Effect.never)
      const walked = yield* Effect.raceFirst(walking, killed)
      for (const { done, way } of walked) assertWalked(way, done)
      yield* assertOnHub({ held, solver }, ways.map((way) => wayOver(families, way)))
      assert.isAbove(kills, 0)
    })))
})

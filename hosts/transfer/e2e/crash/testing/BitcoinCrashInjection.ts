/**
 * Kills a host before and after every write and every broadcast of transfers from and to Bitcoin: one network, one
 * store, one kind of transfer after the other.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { newBitcoinAddress } from "../../../testing/BitcoinAddressed.ts"
import { estimating, USUAL_RATE } from "../../../testing/BitcoinFees.ts"
import { FINAL_AFTER, startBitcoinNetwork } from "../../../testing/BitcoinNetwork.ts"
import { spawnHost } from "../../../testing/HostProcess.ts"
import { balanceOf, eventually, openDeposits } from "../../../testing/Misbehaving.ts"
import { runDoctor } from "../../../testing/RunOperation.ts"
import { endedAnywhere } from "../../../testing/SolanaClient.ts"
import { excess, fill, leave, refund, sweep } from "./BitcoinScenarios.ts"
import type { Begun, BitcoinNetwork } from "./BitcoinScenarios.ts"
import { injectCrashes } from "./InjectCrash.ts"
import type { Journey } from "./InjectCrash.ts"

/** `replaced` is a fill that no block takes before it is replaced at a higher fee. */
type Kind = "fill" | "leaving" | "refund" | "sweep" | "excess" | "replaced"

/** The first one is killed at all its places, the others at their own, and where no earlier one passed. */
const kinds: ReadonlyArray<Kind> = ["fill", "leaving", "refund", "sweep", "excess", "replaced"]

const begins = { fill, leaving: leave, refund, sweep, excess, replaced: fill } as const

/** Satoshi a virtual byte, while fees have risen. */
const RAISED_RATE = 8

/** Those of payments; of an excess only its own payment: its sweep and fill are like those of other kinds. */
const isOwn = (kind: Kind, place: string): boolean =>
  (kind === "excess" ? /excess|^Treasury/ : /^(?:Payments|Treasury)/).test(place)

interface Made extends Begun {
  readonly recipient: string
}

/** Blocks come all the time. While `fees.rise`, they take only payments that have been replaced. */
const mineFor = ({ bitcoin }: BitcoinNetwork, fees: { rise: boolean }) =>
  Effect.forever(Effect.delay(
    Effect.suspend(() => {
      const low = fees.rise && bitcoin.chain.waiting().some(({ fee, size }) => Number(fee) / size < RAISED_RATE)
      return Effect.andThen(
        estimating(bitcoin, low ? RAISED_RATE : USUAL_RATE),
        low ? bitcoin.mineEmpty : bitcoin.mine()
      )
    }),
    "500 millis"
  ))

const begin = (network: BitcoinNetwork, kind: Kind, url: string, recipient: string): Effect.Effect<Begun, unknown> =>
  begins[kind](network, url, recipient)

const journeyOf = (network: BitcoinNetwork, kind: Kind): Journey<Made> => ({
  name: kind,
  begin: (url) => {
    const recipient = kind === "leaving" || kind === "excess" ? network.fresh() : newBitcoinAddress()
    return Effect.orDie(Effect.map(begin(network, kind, url, recipient), (begun) => ({ ...begun, recipient })))
  },
  pay: ({ pay }) => Effect.orDie(pay),
  ended: (url, { request }) => endedAnywhere(url, request),
  last: "Deposits.close:after",
  // It is paid once sweep and fill are final, after the request has ended.
  ...(kind === "excess" ? { patience: "90 seconds" } : {})
})

/** More than a payment's fee. */
const MOST_FEE = 5_000n

/** One payment of it. */
const assertReturned = (
  { bitcoin: { chain: { ledger } }, heldOnBitcoin }: BitcoinNetwork,
  { amount, to }: NonNullable<Begun["excess"]>
) => {
  assert.lengthOf(ledger.idsOf(to).filter((id) => ledger.confirmedIn(id) !== undefined), 1, to)
  const held = heldOnBitcoin(to)
  assert.isTrue(held < amount && held > amount - MOST_FEE, `${to} has ${held} of ${amount}`)
}

/** Its only coin is spent, by one transaction. */
const assertSwept = ({ bitcoin: { chain: { ledger } }, heldOnBitcoin }: BitcoinNetwork, address: string) => {
  assert.lengthOf(ledger.idsOf(address).filter((id) => ledger.confirmedIn(id) !== undefined), 2, address)
  assert.strictEqual(heldOnBitcoin(address), 0n, address)
}

/** Each has ended as intended, by one payment of the right amount. */
const assertOnce = Effect.fnUntraced(
  function*(network: BitcoinNetwork, { address, ends, excess: above, least, recipient }: Made, status: string) {
    const { bitcoin, chains, heldOnBitcoin } = network
    assert.strictEqual(status, ends, recipient)
    if (address !== undefined) assertSwept(network, address)
    if (above !== undefined) assertReturned(network, above)
    if (recipient.startsWith("0x")) {
      const got = yield* balanceOf(chains.alpha, `0x${recipient.slice(2)}`)
      // What was swept later than 30 seconds after its quote is priced again: gas may have changed, but no price.
      const off = address === undefined ? 0n : least / 50n
      return assert.isTrue(got >= least - off && got <= least + off, `${recipient} has ${got}, not ${least}`)
    }
    const { ledger } = bitcoin.chain
    assert.lengthOf(ledger.idsOf(recipient).filter((id) => ledger.confirmedIn(id) !== undefined), 1, recipient)
    const held = heldOnBitcoin(recipient)
    assert.isTrue(ends === "success" ? held === least : held >= least, `${recipient} has ${held}, least ${least}`)
  }
)

/** Learns the places of each kind, kills a host at each, and checks all transfers at the end. */
export const injectBitcoinCrashes = Effect.scoped(Effect.gen(function*() {
  const network = yield* startBitcoinNetwork
  const { bitcoin } = network
  const environment = { ...network.environment, BITCOIN_FEE_SECONDS: "0" }
  const fees = { rise: false }
  yield* Effect.forkScoped(mineFor(network, fees))
  const fixture = {
    spawn: (failpoint: string) => spawnHost("transfer", { ...environment, FAILPOINT: failpoint }),
    urlOf: ({ url }: { readonly url: string }) => url
  }
  const known = new Set<string>()
  const made: Array<Made> = []
  const checkAll = Effect.scoped(Effect.gen(function*() {
    const host = yield* network.startHost()
    const ended = Effect.forEach(made, ({ request }) => endedAnywhere(host.url, request))
    const statuses = yield* Effect.tapCause(ended, () => Effect.sync(() => process.stdout.write(host.output())))
    yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
    yield* Effect.forEach(made, (each, at) => assertOnce(network, each, statuses[at]?.status ?? ""))
  }))
  for (const [at, kind] of kinds.entries()) {
    fees.rise = kind === "replaced"
    const struck = yield* injectCrashes(
      fixture,
      journeyOf(network, kind),
      (told) => told.filter((place) => at === 0 || isOwn(kind, place) || !known.has(place)),
      { asManyAsFit: true, from: made.length }
    )
    made.push(...struck.begun)
    for (const place of struck.told) known.add(place)
    // What is left of this kind comes to its end before the next: the next has places of its own.
    yield* checkAll
  }
  assert.includeMembers([...known], ["Payments.signOnce excess:after", "Payments.replace fill:after"])
  // Whatever else was signed would be in a block by now.
  fees.rise = false
  yield* bitcoin.mine(FINAL_AFTER + 1)
  yield* checkAll
  const doctor = yield* runDoctor(environment)
  assert.deepInclude(JSON.parse(doctor.out), { findings: [] })
}))

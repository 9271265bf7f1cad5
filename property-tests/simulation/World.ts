/**
 * One simulated run, a function of its seed: two or three chains, their endpoints, users, and the service on one store,
 * killed and started again. The run ends when all deposits are answered, or fails when a law is broken or the time is up.
 */
import { Clock, Context, Effect, Exit, Layer, Logger, Metric, Random, References, Schema } from "effect"
import { WebCrypto } from "effect/crypto/WebCrypto"
import { Scheduler } from "effect/Scheduler"
import { Timer } from "../../adapters/quorum/rpc/Deadline.ts"
import type { Environment } from "../../hosts/transfer/config/Environment.ts"
import { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { SignedTransfer, transferId } from "../../examples/ledger-vm/ledger/Transfer.ts"
import { adversaryOf } from "./adversaries/Adversary.ts"
import { drawAddressPlans } from "./adversaries/AddressStrategies.ts"
import { drawPlans } from "./adversaries/Strategies.ts"
import type { Plan } from "./adversaries/Moves.ts"
import type { AnyStrategy } from "./adversaries/Strategies.ts"
import { answersOf } from "./Answers.ts"
import { makeBitcoinWorld } from "./bitcoin/BitcoinWorld.ts"
import type { BitcoinWorld } from "./bitcoin/BitcoinWorld.ts"
import { coinAddressAdversaryOf } from "./bitcoin/CoinAddressStrategies.ts"
import { coinAdversaryOf } from "./bitcoin/CoinStrategies.ts"
import { lostBySweeps, unsweptCoins } from "./bitcoin/SweptLaw.ts"
import { makeChain } from "./Chain.ts"
import { feeLimitsOf } from "./FeeLimits.ts"
import type { SimulatedChain } from "./Chain.ts"
import { ledgerViews } from "./ChainView.ts"
import type { ChainView } from "./ChainView.ts"
import { cryptoOf, makeDice, randomOf } from "./Dice.ts"
import { backupsOf } from "./faults/Backups.ts"
import { makeForgotten } from "./faults/Forgotten.ts"
import { operatorsOf } from "./faults/Operators.ts"
import { makePrices } from "./faults/Prices.ts"
import { makeStoreMoods } from "./faults/StoreMoods.ts"
import { makeFaults } from "./Faults.ts"
import { readAppAccounts } from "./flows/AppAccounts.ts"
import { atAddress } from "./flows/addresses/AddressLaws.ts"
import type { Swept } from "./flows/addresses/AddressLaws.ts"
import type { Flow } from "./flows/Flows.ts"
import { addSponsor, drawSponsor } from "./flows/Sponsor.ts"
import type { Fault } from "./Faults.ts"
import { noHole } from "./holes/Hole.ts"
import type { Hole } from "./holes/Hole.ts"
import { brokenAtEnd, brokenNow, profitOf, unfinished, wealthsOf } from "./Laws.ts"
import { makeNodes } from "./Nodes.ts"
import { withAddressesOn } from "./Service.ts"
import { openModelStore } from "./model/ModelStore.ts"
import { refillsOf } from "./Refills.ts"
import { retriesOf } from "./Retries.ts"
import { supervise } from "./Processes.ts"
import type { Running } from "./Processes.ts"
import { openStore } from "./Store.ts"
import type { OpenStore } from "./Store.ts"
import { othersOf, POOR_SOLVER_HOLDS, SOLVER_HOLDS, START } from "./Terms.ts"
import type { Families, Slug } from "./Terms.ts"
import { usersOf } from "./Users.ts"
import { outOfEnergy, underquotedSweeps, unpaidFees } from "./tron/FeeLaws.ts"
import { burntOfPaid, strayFunding, sweptOfFunding, unsweptOnTron } from "./tron/SweptLaw.ts"
import { tronAddressAdversaryOf } from "./tron/TronAddressStrategies.ts"
import { tronAdversaryOf } from "./tron/TronStrategies.ts"
import { makeTronWorld } from "./tron/TronWorld.ts"
import type { TronWorld } from "./tron/TronWorld.ts"
import { makeVirtualTime } from "./VirtualTime.ts"

/** Transfers of a run, and how long their users take to begin. */
const TRANSFERS = 10
const BEGIN_WITHIN_MS = 90_000
/** Faults strike for so long. */
const CALM_AFTER_MS = 180_000
/** Once they have stopped, and no fee waits for an operator, every deposit is answered within this time, milliseconds. */
const BOUND_MS = 1_800_000
const LOOK_EVERY_MS = 10_000
/** After a run has ended: what is final stays as it is, and nothing is paid again. */
const QUIET_LOOKS = 6

export interface Outcome {
  readonly seed: number
  /** Every move, with its virtual time. The same seed gives the same text. */
  readonly history: ReadonlyArray<string>
  /** How each order was answered. */
  readonly answers: ReadonlyArray<string>
  /** The laws that are broken. */
  readonly broken: ReadonlyArray<string>
  readonly struck: ReadonlyMap<Fault, number>
  /** Milliseconds of virtual time. */
  readonly lasted: number
  /** Half micro-dollars that the adversary has gained. */
  readonly profit: bigint
  /** What the service logged, for finding out why. */
  readonly log: ReadonlyArray<string>
}

/** What the store and the workflow engine of a run are. */
export const floors = ["full", "model"] as const
export type Floor = (typeof floors)[number]

export interface RunOptions {
  readonly seed: number
  readonly faults: ReadonlySet<Fault>
  readonly environment: Environment
  readonly hole?: Hole
  /** Transfers alone, unless it is given. */
  readonly flows?: ReadonlySet<Flow>
  /** `full`, the default: SQLite and the real engine. `model`: store and engine in memory. */
  readonly floor?: Floor
  /** Which chains there are: two ledgers, unless it is given. The environment is of the same (`readSettings`). */
  readonly families?: Families
  /** Nobody but users, unless it is given. */
  readonly adversary?: ReadonlySet<AnyStrategy>
  /** In place of the usual half hour, milliseconds: for runs that are to fail. */
  readonly boundMs?: number
  /** Plays these in place of what the seed draws. */
  readonly plans?: ReadonlyArray<Plan>
}

const decodeSigned = Schema.decodeUnknownSync(SignedTransfer)
const isRequestId = Schema.is(RequestId)

/**
 * SECURITY: what is sent must be stored, and nothing else may have its sequence. Checked whenever something is sent. A
 * restored store uses sequences up by transfers that move nothing, and sends them again at the fee of the day: only
 * these may share one.
 */
const makeSentLaw = (broken: Array<string>) => {
  const sent = new Map<string, { readonly id: string; readonly movesNothing: boolean }>()
  const swept = new Map<string, Swept>()
  const onSent = (store: OpenStore | undefined, { slug }: SimulatedChain, body: unknown) =>
    Effect.gen(function*() {
      const { transfer } = decodeSigned(body)
      const id = transferId(transfer)
      const place = `${slug} ${transfer.sender} ${transfer.sequence}`
      const before = sent.get(place)
      const movesNothing = transfer.sender === transfer.recipient && transfer.amount === 0n
      if (before !== undefined && before.id !== id && !(before.movesNothing && movesNothing)) {
        broken.push(`two transfers with sequence ${place} are sent`)
      }
      sent.set(place, { id, movesNothing })
      if (transfer.payer !== undefined) swept.set(id, transfer)
      if (store === undefined || movesNothing) return
      if (!(yield* store.isStored(id))) broken.push(`${id} is sent on ${slug} before it is stored`)
    })
  return {
    onSent,
    swept: () => [...swept.values()],
    /** What a lost process has sent is replaced, or its sequence is used up. */
    restored: () => sent.clear()
  }
}

/** The chains of a run. */
interface Chains {
  readonly ledgers: Readonly<Record<Slug, SimulatedChain>>
  readonly bitcoin: BitcoinWorld | undefined
  readonly tron: TronWorld | undefined
  readonly views: ReadonlyArray<ChainView>
  readonly sentLaw: ReturnType<typeof makeSentLaw>
  /** Blocks are made, and endpoints become faulty and recover, for ever. */
  readonly live: ReadonlyArray<Effect.Effect<never>>
}

interface Playing extends Required<Pick<RunOptions, "boundMs" | "flows" | "plans">>, Pick<Outcome, "log"> {
  /** The requests that errors in the log name. */
  readonly alarmed: ReadonlySet<RequestId>
}

/** Returns what users have asked for. */
const live = Effect.fnUntraced(function*(
  running: Running,
  { bitcoin, ledgers: chains, live: lives, sentLaw, tron, views }: Chains,
  families: Families,
  broken: Array<string>,
  { alarmed, boundMs, flows, log, plans }: Playing
) {
  const { dice, faults, store, tell } = running
  const ports = yield* Layer.build(store.ports)
  const sponsor = drawSponsor(dice.of("sponsor"))
  yield* Effect.provideContext(addSponsor(sponsor), ports)
  const before = wealthsOf(views)
  const service = supervise(running)
  const world = { use: service.use, chains, bitcoin: bitcoin?.chain, tron: tron?.chain, tell }
  const swept = () => [...sentLaw.swept(), ...bitcoin?.sentLaw.swept() ?? [], ...tron?.sentLaw.swept() ?? []]
  const { forgotten, look, remember } = makeForgotten({
    books: store.books,
    orders: () => [...users.asked.map(({ orderId }) => orderId), ...swept().map(({ memo }) => memo)],
    requests: () => users.sends.map(({ requestId }) => requestId),
    log
  })
  const users = usersOf(
    {
      ...world,
      dice: dice.of("users"),
      families,
      flows,
      forgotten: forgotten.orders
    },
    TRANSFERS,
    BEGIN_WITHIN_MS
  )
  const requests = () => users.asked.map(({ requestId }) => requestId)
  const operators = operatorsOf(service.use, requests, dice.of("operators"), faults, tell)
  const { asked, sends, sent } = users
  const accounts = Effect.suspend(() => {
    const quoted = [...asked, ...sends].map(({ requestId }) => requestId)
    const addresses = atAddress(asked).map(({ address }) => address)
    return Effect.provideContext(readAppAccounts(quoted, addresses), ports)
  })
  const isKnown = ({ orderId }: { readonly orderId: string }) => !forgotten.orders.has(orderId)
  const dropped = () => [...bitcoin?.sentLaw.dropped() ?? [], ...tron?.sentLaw.dropped() ?? []]
  const evidence = () => ({
    views,
    books: store.books,
    asked,
    sends,
    sent,
    swept: swept(),
    dropped: dropped(),
    forgotten,
    faults,
    sponsor,
    accounts
  })
  const backups = backupsOf({
    store,
    dice: dice.of("backups"),
    faults,
    tell,
    whileStopped: service.whileStopped,
    onLost: remember,
    onRestored: Effect.all([
      Effect.sync(sentLaw.restored),
      tron?.sentLaw.restored(store) ?? Effect.void,
      Effect.provideContext(look, ports)
    ], { discard: true })
  })
  const refills = refillsOf({ chains, bitcoin: bitcoin?.chain, tron: tron?.chain, dice: dice.of("refills"), tell })
  // The Bitcoin nodes of this world do not list coins, without which nothing is restored there.
  const going = bitcoin === undefined ? [backups] : []
  const retried = () => [...new Set([...requests(), ...alarmed])]
  const retries = tron === undefined ? [] : [retriesOf(service.use, retried, dice.of("retries"), tell)]
  const feeLimits = feeLimitsOf(service, dice.of("fee limits"), tell)
  const raising = bitcoin === undefined ? [] : [feeLimits.live]
  for (const part of [...lives, service.live, operators.live, refills, ...going, ...retries, ...raising]) {
    yield* Effect.forkScoped(part)
  }
  const adversary = adversaryOf({ ...users, ...world, dice })
  const coinPlays = (bitcoin?.strategies ?? []).map((strategy) =>
    bitcoin === undefined
      ? Effect.void
      : coinAdversaryOf({ ...users, ...world, bitcoin: bitcoin.chain, dice: dice.of(strategy) }).play(strategy)
  )
  const coinAddressPlays = (bitcoin?.addressStrategies ?? []).map((strategy) =>
    bitcoin === undefined
      ? Effect.void
      : coinAddressAdversaryOf({ ...users, ...world, bitcoin: bitcoin.chain, dice: dice.of(strategy) }).play(strategy)
  )
  const tronPlays = (tron?.strategies ?? []).map((strategy) =>
    tron === undefined
      ? Effect.void
      : tronAdversaryOf({ ...users, ...world, tron: tron.chain, dice: dice.of(strategy) }).play(strategy)
  )
  const tronAddressPlays = (tron?.addressStrategies ?? []).map((strategy) =>
    tron === undefined
      ? Effect.void
      : tronAddressAdversaryOf({ ...users, ...world, tron: tron.chain, dice: dice.of(strategy) }).play(strategy)
  )
  const plays = [...coinPlays, ...coinAddressPlays, ...tronPlays, ...tronAddressPlays]
  const using = yield* Effect.forkScoped(
    Effect.all([users.live, ...plans.map(adversary.play), ...plays], { concurrency: "unbounded", discard: true })
  )
  yield* Effect.forkScoped(Effect.delay(
    Effect.sync(() => {
      faults.calm()
      tell("from here on nothing goes wrong any more")
    }),
    CALM_AFTER_MS
  ))
  // How many looks in a row have found nothing unfinished. An operator's retry can begin something anew.
  let quiet = 0
  while (broken.length === 0 && quiet <= QUIET_LOOKS) {
    yield* Effect.sleep(LOOK_EVERY_MS)
    const deposits = [...users.sent, ...swept(), ...dropped()]
    broken.push(
      ...yield* brokenNow(evidence()),
      ...bitcoin?.sentLaw.brokenNow(deposits) ?? [],
      ...bitcoin === undefined ? [] : lostBySweeps(bitcoin.chain),
      ...tron?.sentLaw.brokenNow(deposits) ?? [],
      ...tron === undefined ? [] : [
        ...outOfEnergy(tron.chain, faults),
        ...strayFunding(tron.chain, asked),
        ...sweptOfFunding(tron.chain, asked, forgotten),
        ...burntOfPaid(tron.chain, asked, faults, tron.sentLaw.forgotten)
      ]
    )
    const ended = using.pollUnsafe()
    if (ended !== undefined && Exit.isFailure(ended)) broken.push(`users died: ${String(ended.cause)}`)
    const waiting = [
      ...(ended === undefined ? ["users are still busy"] : []),
      ...bitcoin === undefined ? [] : unsweptCoins(bitcoin.chain, asked),
      ...tron === undefined ? [] : unsweptOnTron(tron.chain, asked.filter(isKnown)),
      ...(yield* unfinished(evidence()))
    ]
    quiet = waiting.length === 0 ? quiet + 1 : 0
    if (quiet === 1) faults.calm()
    const undisturbedSince = Math.max(START + CALM_AFTER_MS, feeLimits.raised() ?? 0)
    if ((yield* Clock.currentTimeMillis) > undisturbedSince + boundMs) broken.push(...waiting)
  }
  if (broken.length > 0) return users.asked
  broken.push(
    ...yield* brokenAtEnd(evidence(), before),
    ...tron === undefined ? [] : [
      ...unpaidFees(tron.chain, evidence(), (yield* store.books).losses),
      ...underquotedSweeps(tron.chain, evidence())
    ]
  )
  return users.asked
})

/** Runs one seed. */
export const simulate = async (
  {
    adversary = new Set(),
    boundMs = BOUND_MS,
    environment: settings,
    families = "ledger",
    faults: on,
    floor = "full",
    flows = new Set(),
    hole = noHole,
    plans,
    seed
  }: RunOptions
): Promise<Outcome> => {
  const environment = withAddressesOn(
    settings,
    (slug) => flows.has(slug === "bitcoin" ? "coin-addresses" : slug === "tron" ? "tron-addresses" : "addresses")
  )
  const time = makeVirtualTime(START)
  const dice = makeDice(seed)
  const faults = makeFaults(dice.of("faults"), on)
  const [history, broken, log]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  /** The requests that errors in the log name. */
  const alarmed = new Set<RequestId>()
  const now = () => time.clock.currentTimeMillisUnsafe()
  const at = () => `${((now() - START) / 1_000).toFixed(3)}s`
  const tell = (event: string) => void history.push(`${at()} ${event}`)
  const logger = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    const words = Array.isArray(message) ? message.map(String).join(" ") : String(message)
    const names = fiber.getRef(References.CurrentLogAnnotations)
    const about = Object.values(names).map((each) => String(each).slice(0, 10))
    if (logLevel === "Error" && isRequestId(names["requestId"])) alarmed.add(names["requestId"])
    log.push(`${at()} ${logLevel} ${words} ${about.join(" ")}`)
  })
  const context = Context.make(Clock.Clock, time.clock).pipe(
    Context.add(Scheduler, time.scheduler),
    Context.add(Random.Random, randomOf(dice.of("random"))),
    Context.add(WebCrypto, cryptoOf(dice.of("ids"))),
    Context.add(Timer, time.timer),
    Context.add(Logger.CurrentLoggers, new Set([logger])),
    Context.add(References.TracerEnabled, false),
    Context.add(Metric.MetricRegistry, new Map())
  )
  const isPoor = faults.strikes("treasury-empty", 0.2)
  const chainOf = (slug: Slug) =>
    makeChain(slug, dice.of(slug), faults, isPoor ? POOR_SOLVER_HOLDS : SOLVER_HOLDS, tell)
  const chains = { alpha: chainOf("alpha"), beta: chainOf("beta") }
  const sentLaw = makeSentLaw(broken)
  const storeMoods = makeStoreMoods(faults, dice.of("store moods"), tell, now)
  const prices = makePrices(faults, dice.of("prices"), tell)
  let store: OpenStore | undefined
  const nodes = makeNodes(
    [[chains.alpha, chains.beta], [chains.beta, chains.alpha]],
    dice.of("nodes"),
    faults,
    tell,
    (chain, body) => sentLaw.onSent(store, chain, body)
  )
  const others = othersOf(families)
  const making = { adversary, broken, dice, faults, isSolverPoor: isPoor, store: () => store, tell }
  const hasCoinAddresses = flows.has("coin-addresses")
  const bitcoin = others.includes("bitcoin") ? makeBitcoinWorld({ ...making, hasCoinAddresses }) : undefined
  const tron = others.includes("tron")
    ? makeTronWorld({ ...making, hasAddresses: flows.has("tron-addresses") })
    : undefined
  const views = [...ledgerViews(chains), ...[bitcoin, tron].flatMap((each) => each === undefined ? [] : [each.view])]
  const reach: Running["reach"] = (gate, of) => ({
    ledgers: nodes.connect(gate, of),
    bitcoin: bitcoin?.nodes.connect(gate, of),
    tron: tron?.nodes.connect(gate, of)
  })
  const drawn = plans === undefined
    ? [
      ...drawPlans(adversary, dice.of("adversary")),
      ...flows.has("addresses") ? drawAddressPlans(adversary, dice.of("adversary at addresses")) : []
    ]
    : []
  if (drawn.length > 0) tell(`the adversary plays ${drawn.map(({ name }) => name).join(", ")}`)
  const before = wealthsOf(views)
  const exit = await time.run(
    Effect.scoped(Effect.gen(function*() {
      store = yield* floor === "model" ? openModelStore : openStore(environment, now)
      return yield* live(
        { dice, faults, reach, store, storeMoods, prices, environment, context, tell, hole },
        {
          ledgers: chains,
          bitcoin,
          tron,
          views,
          sentLaw,
          live: [
            chains.alpha.live,
            chains.beta.live,
            nodes.live,
            ...[bitcoin, tron].flatMap((each) => each === undefined ? [] : [each.chain.live, each.nodes.live])
          ]
        },
        families,
        broken,
        { alarmed, boundMs, flows, log, plans: plans ?? drawn.map(({ plan }) => plan) }
      )
    })),
    context
  )
  const asked = Exit.isSuccess(exit) ? exit.value : []
  if (Exit.isFailure(exit)) broken.push(`the world ended: ${String(exit.cause)}`)
  return {
    seed,
    history,
    answers: answersOf(views, asked),
    broken,
    struck: faults.counts,
    lasted: now() - START,
    profit: profitOf(views, before),
    log
  }
}

/**
 * A deposit address, its depository and a store, in memory and moved by the pure rules alone. It does what the services
 * do, one write at a time, so a test can stop between any two. `crash` loses what a process knows and has not written.
 * What was written or mined stays.
 */
import * as Result from "effect/Result"
import { ethereumAddresses } from "../../families/ethereum/EthereumAddresses.ts"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import { Usd, UsdPrice } from "../../money/Usd.ts"
import type { Deposit } from "../../transfer/deposit/Deposit.ts"
import { excessOf } from "../../transfer/refund/Excess.ts"
import type { FinalVerdict } from "../../transfer/deposit/JudgeDeposit.ts"
import { judge } from "../../transfer/deposit/Judgement.ts"
import { planRefund, refundAmount } from "../../transfer/refund/RefundPlan.ts"
import { canMove } from "../../transfer/Status.ts"
import type { Status } from "../../transfer/Status.ts"
import type { Transfer } from "../../transfer/Transfer.ts"
import { planReindex } from "../reindex/PlanReindex.ts"
import { turnOf } from "../TurnOf.ts"

export type Mode = "open" | "strict"
export type Coin = "quoted" | "other"

const HOME = ChainId.make(1)
const AWAY = ChainId.make(2)
const OWNER = Address.make("0x00000000000000000000000000000000000000a1")
const FACTORY = Address.make("0x00000000000000000000000000000000000000f1")
const currencies: Readonly<Record<Coin, CurrencyAddress>> = {
  quoted: ethereumAddresses.nativeCurrency,
  other: CurrencyAddress.make("0x00000000000000000000000000000000000000c0")
}
const coins = ["quoted", "other"] as const

/** The quoted units, and the gas of a refund. A hundred units are worth a sweep. */
export const AMOUNT_IN = 200n
export const REFUND_GAS = 20n
export const WORTH_SWEEPING = 100n
/** The difference between what a fill takes and delivers. */
const FEES = 10n
/** The most that an order keeps of a refund, for its fees and its gas. */
const REFUND_BOUND = FEES + 3n * REFUND_GAS

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)

/** The fields of a transfer that the rules read. */
const transferOf = (mode: Mode, order: Hex32, amountIn: bigint, quotedAt: number, named: boolean): Transfer =>
  ({
    orderId: order,
    order: {
      inputs: [{
        payment: { amount: amountIn, weight: 1n },
        // As in a real quote. The second refund option settles a fill of less than the quoted amount.
        refunds: [{}, {
          chainId: "away",
          recipient: OWNER,
          currency: currencies.quoted,
          minimumAmount: amountIn > REFUND_BOUND ? amountIn - REFUND_BOUND : 1n,
          deadline: quotedAt + 1200
        }]
      }],
      output: {
        chainId: "away",
        deadline: quotedAt + 600,
        calls: [],
        payments: [{
          recipient: OWNER,
          currency: currencies.quoted,
          minimumAmount: amountIn - FEES - 5n,
          expectedAmount: amountIn - FEES
        }]
      }
    },
    quotedAt: quotedAt * 1000,
    terms: {
      originChainId: HOME,
      originCurrency: currencies.quoted,
      destinationChainId: AWAY,
      destinationCurrency: currencies.quoted,
      user: OWNER,
      recipient: OWNER,
      refundTo: OWNER,
      tradeType: "EXACT_INPUT",
      amountIn,
      amountOut: amountIn - FEES,
      minimumOut: amountIn - FEES - 5n,
      depositAddress: { address: FACTORY, mode, depositor: OWNER, ...(named ? { refundTo: OWNER } : {}) }
    }
  }) as unknown as Transfer

interface SweepRow {
  readonly coin: Coin
  readonly number: number
  readonly order: Hex32
  mined: { readonly height: number; readonly moved: bigint } | undefined
  closed: boolean
}

interface Queueing {
  readonly coin: Coin
  readonly number: number
  readonly order: Hex32
  readonly amountIn: bigint
  /** Planned from the current facts, not from what a slow process remembers. */
  readonly fresh: boolean
}

/** Where a deposit's money went, to the unit. */
export interface Account {
  filled: bigint
  paidBack: bigint
  gas: bigint
  onRecord: bigint
  waiting: bigint
}

type Stage = "decide" | "fill" | "filled" | "excess" | "refund" | "refunded" | "closed"

interface Filling {
  readonly deposit: Deposit
  readonly coin: Coin
  readonly account: Account
  stage: Stage
  verdict: FinalVerdict | undefined
}

export class AddressWorld {
  readonly fillings: Array<Filling> = []
  readonly sweeps: Array<SweepRow> = []
  /** Signed payments, each once: the deposit that claimed it, and the amount. */
  readonly legs = new Map<string, { readonly deposit: Hex32; readonly amount: bigint }>()
  /** Transactions in blocks, in order. */
  readonly mined: Array<string> = []
  readonly paid: Record<Coin, bigint> = { quoted: 0n, other: 0n }
  readonly complaints: Array<string> = []
  readonly statuses = new Map<Hex32, Status>()
  private readonly history: Record<Coin, Array<bigint>> = { quoted: [0n], other: [0n] }
  private readonly transfers = new Map<Hex32, Transfer>()
  private held: ReadonlyArray<Queueing> = []
  private now = 1_800_000_000
  private names = 1
  private readonly own: Hex32

  readonly mode: Mode
  private readonly named: boolean

  /** `named`: the request names a recipient for money that it is not for. */
  constructor(mode: Mode, named: boolean) {
    this.mode = mode
    this.named = named
    this.own = this.newOrder(AMOUNT_IN)
  }

  private newOrder(amountIn: bigint): Hex32 {
    const order = word(this.names += 1)
    this.transfers.set(order, transferOf(this.mode, order, amountIn, this.now, this.named))
    this.statuses.set(order, "waiting")
    return order
  }

  at(coin: Coin): bigint {
    return this.history[coin].at(-1) ?? 0n
  }

  private block(coin: Coin, balance: bigint): number {
    for (const each of coins) this.history[each].push(each === coin ? balance : this.at(each))
    return this.history[coin].length - 1
  }

  pass(seconds: number): void {
    this.now += seconds
  }

  pay(coin: Coin, units: bigint): void {
    this.paid[coin] += units
    this.block(coin, this.at(coin) + units)
  }

  /** What a process that reads `lag` blocks behind would queue. */
  private plan(lag: number, fresh: boolean): ReadonlyArray<Queueing> {
    const facts = coins.map((coin) => {
      const height = Math.max(0, this.history[coin].length - 1 - lag)
      const rows = this.sweeps.filter((row) => row.coin === coin)
      const ended = rows.filter(({ closed }) => closed)
      return {
        currency: {
          chainId: HOME,
          address: currencies[coin],
          symbol: coin,
          name: coin,
          decimals: 18,
          isNative: coin === "quoted"
        },
        reading: { _tag: "Read" as const, units: this.history[coin][height] ?? 0n, height: BigInt(height) },
        sweeps: {
          queued: ended.length < rows.length ? "one" as const : "none" as const,
          unfinal: "none" as const,
          completed: ended.length,
          lastHeight: ended.length === 0 ? undefined : BigInt(Math.max(...ended.map(({ mined }) => mined?.height ?? 0)))
        },
        sweepGas: Usd(WORTH_SWEEPING / 2n),
        price: UsdPrice(10n ** 36n)
      }
    })
    const plan = planReindex(facts)
    if (Result.isFailure(plan)) return []
    return plan.success.queue.map(({ currency, number, units }) => {
      const coin = currency.symbol === "quoted" ? "quoted" as const : "other" as const
      const begun = this.sweeps.some((row) => row.order === this.own && row.coin === "quoted")
      // At an open address every deposit but the first has its own request, made before the sweep.
      const order = this.mode === "open" && coin === "quoted" && begun ? this.newOrder(units) : this.own
      return { coin, number, order, amountIn: units, fresh }
    })
  }

  reindex(lag: number): void {
    this.queue(this.plan(lag, true))
  }

  /** A slow process plans now and writes later, unless it crashes. */
  hold(lag: number): void {
    this.held = this.plan(lag, false)
  }

  writeHeld(): void {
    this.queue(this.held)
    this.held = []
  }

  crash(): void {
    this.held = []
  }

  /** The store's two unique indexes: the sweep's number, and one queued sweep per currency. */
  private queue(plan: ReadonlyArray<Queueing>): void {
    for (const { coin, fresh, number, order } of plan) {
      const rows = this.sweeps.filter((row) => row.coin === coin)
      const refused = rows.some((row) => row.number === number || !row.closed)
      if (refused && fresh) this.complaints.push(`a plan of what is true queues sweep ${number} of ${coin} again`)
      if (!refused) this.sweeps.push({ coin, number, order, mined: undefined, closed: false })
    }
  }

  /** Broadcasts the oldest sweep, possibly again. It is mined once and takes the whole balance. */
  sweep(): void {
    const row = this.sweeps.find(({ closed }) => !closed)
    if (row === undefined || row.mined !== undefined) return
    const moved = this.at(row.coin)
    const height = this.block(row.coin, 0n)
    row.mined = { height, moved }
    if (moved === 0n) return
    this.fillings.push({
      deposit: {
        onchainId: word(1_000_000 + this.fillings.length),
        chainId: HOME,
        transactionId: TransactionId.make(word(height)),
        index: 0,
        block: { height: BigInt(height), hash: `${height}`, time: this.now },
        depositId: row.order,
        depositor: OWNER,
        sender: FACTORY,
        currency: currencies[row.coin],
        amount: moved
      },
      coin: row.coin,
      account: { filled: 0n, paidBack: 0n, gas: 0n, onRecord: 0n, waiting: 0n },
      stage: "decide",
      verdict: undefined
    })
  }

  closeSweep(): void {
    const row = this.sweeps.find(({ closed, mined }) => !closed && mined !== undefined)
    if (row !== undefined) row.closed = true
  }

  /** Signed once, stored, and mined once however often it is sent. Undefined when another deposit has claimed it. */
  private payLeg(leg: string, deposit: Hex32, amount: bigint): bigint | undefined {
    const signed = this.legs.get(leg) ?? { deposit, amount }
    if (signed.deposit !== deposit) return undefined
    this.legs.set(leg, signed)
    if (!this.mined.includes(leg)) this.mined.push(leg)
    return signed.amount
  }

  private move(order: Hex32, to: Status): void {
    const from = this.statuses.get(order) ?? "waiting"
    if (canMove(from, to)) this.statuses.set(order, to)
  }

  private decide(transfer: Transfer, { deposit }: Filling, market: bigint): FinalVerdict {
    const order = transfer.orderId
    const claimed = this.legs.get(`fill:${order}`)
    if (claimed !== undefined) {
      return claimed.deposit === deposit.onchainId
        ? { _tag: "Fill", amountOut: claimed.amount }
        : { _tag: "Refund", reason: "DOUBLE_SPEND" }
    }
    const named = this.fillings.map((filling) => filling.deposit).filter(({ depositId }) => depositId === order)
    const judged = judge(
      transfer,
      deposit,
      turnOf({ ...transfer, status: this.statuses.get(order) ?? "waiting" }, deposit, named)
    )
    if (judged._tag === "Reprice") {
      return judged.price.settle(judged.price.amountIn > market ? judged.price.amountIn - market : 0n)
    }
    return judged._tag === "Fill" ? judged.verdict : judged
  }

  /**
   * One step of a deposit's filling. `lost`: the step took effect, and the process died before writing it down.
   * `market` is what a new price takes of a deposit, `gas` what a refund costs at that moment.
   */
  work(
    index: number,
    { gas, lost, market }: { readonly gas: bigint; readonly lost: boolean; readonly market: bigint }
  ): void {
    const filling = this.fillings[index % Math.max(1, this.fillings.length)]
    const transfer = filling === undefined ? undefined : this.transfers.get(filling.deposit.depositId)
    if (filling === undefined || transfer === undefined) return
    const [stage, verdict] = this.stepOf(filling, transfer, gas, market)
    if (lost) return
    filling.stage = stage
    filling.verdict = verdict
  }

  private stepOf(
    filling: Filling,
    transfer: Transfer,
    gas: bigint,
    market: bigint
  ): readonly [Stage, FinalVerdict | undefined] {
    const { account, deposit, verdict } = filling
    const order = transfer.orderId
    const { decides } = planRefund(transfer, deposit)
    switch (filling.stage) {
      case "decide": {
        if (decides) this.move(order, "pending")
        const made = this.decide(transfer, filling, market)
        return [made._tag === "Fill" ? "fill" : "refund", made]
      }
      case "fill": {
        const amountOut = verdict?._tag === "Fill" ? verdict.amountOut : 0n
        const paid = this.payLeg(`fill:${order}`, deposit.onchainId, amountOut)
        return paid === undefined ? ["refund", { _tag: "Refund", reason: "DOUBLE_SPEND" }] : ["filled", verdict]
      }
      case "filled":
        this.move(order, "submitted")
        this.move(order, "success")
        account.filled = deposit.amount - excessOf(transfer, deposit)
        return ["excess", verdict]
      case "excess":
        this.giveBack(filling, `excess:${deposit.onchainId}`, excessOf(transfer, deposit), true, gas)
        return ["closed", verdict]
      case "refund":
        this.giveBack(
          filling,
          `refund:${deposit.onchainId}`,
          deposit.amount,
          planRefund(transfer, deposit).recipient !== undefined,
          gas
        )
        return ["refunded", verdict]
      case "refunded": {
        const isSecond = verdict?._tag === "Refund" && verdict.reason === "DOUBLE_SPEND"
        if (decides && !isSecond) this.move(order, account.paidBack > 0n ? "refund" : "failure")
        return ["closed", verdict]
      }
      case "closed":
        return ["closed", verdict]
    }
  }

  /** A signed payment keeps its amount. What is not worth its gas stays on record, and what has no recipient waits. */
  private giveBack({ account, deposit }: Filling, leg: string, amount: bigint, named: boolean, gas: bigint): void {
    if (amount === 0n) return
    const worth = this.legs.get(leg)?.amount ?? refundAmount(amount, gas)
    const paid = named && worth > 0n ? this.payLeg(leg, deposit.onchainId, worth) ?? 0n : 0n
    account.paidBack = paid
    account.gas = paid === 0n ? 0n : amount - paid
    account.onRecord = named && paid === 0n ? amount : 0n
    account.waiting = named ? 0n : amount
  }

  /** Lets every process finish. */
  settle(): void {
    this.crash()
    for (let turn = 0; turn < 3; turn += 1) {
      this.block("quoted", this.at("quoted"))
      this.reindex(0)
      while (this.sweeps.some(({ closed }) => !closed)) {
        this.sweep()
        this.closeSweep()
      }
      while (this.fillings.some(({ stage }) => stage !== "closed")) {
        this.fillings.forEach((_, index) => {
          this.work(index, { gas: REFUND_GAS, lost: false, market: FEES })
        })
      }
    }
  }

  isFilled(order: Hex32): boolean {
    return this.mined.includes(`fill:${order}`)
  }

  get orders(): ReadonlyArray<Hex32> {
    return [...this.transfers.keys()]
  }
}

/**
 * What users of a simulated world do: each asks for quotes and pays for them, as asked or in one of the ways in which
 * people and adversaries do it otherwise. A wallet sends its transfer again until it is final.
 */
import { Clock, Effect, Schema, Semaphore } from "effect"
import type { ApiKey } from "../../src/domain/api-key/ApiKey.ts"
import { Address } from "../../src/domain/chain/Address.ts"
import { QuoteRequest } from "../../src/domain/quote/request/QuoteRequest.ts"
import type { RawData } from "../../src/domain/families/tron/transaction/RawData.ts"
import type { Quote } from "../../src/domain/quote/wire/Quote.ts"
import { accountOn, entryOf, finalOf } from "../../examples/ledger-vm/ledger/Ledger.ts"
import { SignedTransfer, signTransfer, transferId } from "../../examples/ledger-vm/ledger/Transfer.ts"
import { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { Quoting } from "../../src/services/quoting/Quoting.ts"
import type { BitcoinChain } from "./bitcoin/BitcoinChain.ts"
import { askedToSign } from "./bitcoin/BitcoinQuote.ts"
import { makeCoinWallet, outputsOf, payUntilSettled } from "./bitcoin/CoinWallet.ts"
import { coinAddressManners, outputsTo, paidToCoinAddress } from "./bitcoin/PayCoinAddress.ts"
import type { CoinAddressManner, PaidInCoins } from "./bitcoin/PayCoinAddress.ts"
import { accounts as bitcoinAccounts, LEAST_OUTPUT } from "./bitcoin/Terms.ts"
import { signFast } from "./FastCurve.ts"
import type { SimulatedChain } from "./Chain.ts"
import type { Dice } from "./Dice.ts"
import { drawFlows } from "./flows/Flows.ts"
import type { Flow } from "./flows/Flows.ts"
import { addressManners, paidToAddress, reindexUntilMoved } from "./flows/addresses/PayAddress.ts"
import type { Addressed, AddressManner, PaidToAddress } from "./flows/addresses/PayAddress.ts"
import { sponsorKey } from "./flows/Sponsor.ts"
import type { Use } from "./Processes.ts"
import { drawCurrency, drawRoute, unitsWorth } from "./Routes.ts"
import {
  accountKeys,
  accounts,
  bitcoin as bitcoinCurrency,
  BLOCK_MS,
  chainIds,
  currencies,
  depository,
  genesisOf,
  MOST_FEE,
  shop,
  users
} from "./Terms.ts"
import type { AnySlug, Families, Slug } from "./Terms.ts"
import { keptOf } from "./tron/Contracts.ts"
import { accounts as tronAccounts, tokenIn } from "./tron/Terms.ts"
import type { TronChain } from "./tron/TronChain.ts"
import { callsOf, orderOf } from "./tron/TronQuote.ts"
import { paysAtTronAddress, tronAddressManners } from "./tron/PayTronAddress.ts"
import type { TronAddressManner } from "./tron/PayTronAddress.ts"
import { depositOf, payInTurn, signOn, tokenDepositOf } from "./tron/TronWallet.ts"

/** The ways to pay for a quote. */
export const manners = [
  "exact",
  "too-little",
  "too-much",
  "twice",
  "late",
  "never",
  "nameless",
  "dust",
  "by-another"
] as const
export type Manner = (typeof manners)[number]

/** What a user asked for and was promised. Amounts are smallest units. */
export interface Asked {
  readonly user: number
  readonly manner: Manner | AddressManner | CoinAddressManner | TronAddressManner
  readonly origin: AnySlug
  readonly destination: AnySlug
  readonly recipient: string
  readonly currencyIn: string
  readonly currencyOut: string
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** The gas that the quote takes off the deposit, or its sponsor pays, in the currency of the deposit. */
  readonly gas: bigint
  readonly orderId: string
  readonly requestId: RequestId
  /** When the quote was asked for, milliseconds. */
  readonly at: number
  /** The deposit address. Undefined where the user names the order itself. */
  readonly address?: Address | undefined
  readonly isSponsored: boolean
  /** The most that the sponsor may pay, micro-USDC. */
  readonly cap: bigint | undefined
  /** Basis points of the deposit for others. */
  readonly appBps: bigint
}

/** A payment that a user was told to make itself. */
export interface Sends {
  readonly requestId: RequestId
  readonly orderId: string
  readonly origin: Slug
  readonly recipient: string
  readonly currency: string
  readonly amount: bigint
}

/** A transfer to a depository or a deposit address that a wallet has signed. It sends it until it is final. */
export interface Sent {
  /** Undefined for one to the depository. */
  readonly address?: string | undefined
  readonly by: number
  readonly origin: AnySlug
  readonly currency: string
  readonly amount: bigint
  readonly memo: string
  /** Each output of a payment to a deposit address on Bitcoin. Absent for others. */
  readonly outputs?: ReadonlyArray<bigint> | undefined
}

const encode = Schema.encodeSync(SignedTransfer)
const decodeAddress = Schema.decodeUnknownSync(Address)
export const decodeRequest = Schema.decodeUnknownSync(QuoteRequest)

interface Signing {
  readonly currency: string
  readonly amount: bigint
  readonly memo: string
  /** The depository, unless it is given. */
  readonly recipient?: Address | undefined
  /** The next one, unless it is given. */
  readonly sequence?: bigint
}

/** A wallet's next transfer, signed: its sequence follows everything that the wallet has signed on this chain. */
export const makeWallet = () => {
  const next = new Map<string, bigint>()
  return (user: number, chain: SimulatedChain, to: Signing) => {
    const [key, sender] = [accountKeys[user], accounts[user]]
    if (key === undefined || sender === undefined) throw new Error("there is no such user")
    const place = `${chain.slug} ${sender}`
    const sequence = to.sequence ?? next.get(place) ?? accountOn(chain.state(), sender).sequence
    if (to.sequence === undefined) next.set(place, sequence + 1n)
    const currency = currencies.find((each) => each === to.currency) ?? currencies[0]
    return signTransfer(
      {
        ledger: genesisOf(chain.slug),
        sender,
        sequence,
        recipient: to.recipient ?? depository,
        currency,
        amount: to.amount,
        fee: MOST_FEE,
        memo: to.memo
      },
      key,
      { sign: signFast }
    )
  }
}

export const send = (chain: SimulatedChain, signed: SignedTransfer): void =>
  void chain.ask({ method: "POST", path: "/v1/transfers", body: encode(signed) })

/** Sends a transfer again until it is final. */
export const sendUntilFinal = (chain: SimulatedChain, signed: SignedTransfer) =>
  Effect.gen(function*() {
    const id = transferId(signed.transfer)
    while (true) {
      const found = entryOf(chain.state(), id)
      if (found !== undefined && found.block.height <= finalOf(chain.state()).height) return
      if (found === undefined) send(chain, signed)
      yield* Effect.sleep(BLOCK_MS)
    }
  })

interface Paying {
  /** A user's number. */
  readonly by: number
  readonly amount: bigint
  readonly memo: string
  /** Milliseconds of waiting before it. */
  readonly after: number
  /** The deposit address that is paid. */
  readonly address?: Address
}

const paymentsOf = (manner: Manner, user: number, amount: bigint, orderId: string, dice: Dice): Array<Paying> => {
  const one = { by: user, amount, memo: orderId, after: dice.between(0, 5_000) }
  switch (manner) {
    case "exact":
      return [one]
    case "too-little":
      return [{ ...one, amount: amount / BigInt(dice.between(2, 10)) }]
    case "too-much":
      return [{ ...one, amount: amount * 2n }]
    case "twice":
      return [one, { ...one, after: dice.between(0, 60_000) }]
    case "late":
      return [{ ...one, after: dice.between(30_000, 120_000) }]
    case "never":
      return []
    case "nameless":
      return [{ ...one, memo: "thank you" }]
    case "dust":
      return [{ ...one, amount: 1n }, one]
    case "by-another":
      return [{ ...one, by: (user + 1) % users.length }, { ...one, after: dice.between(0, 30_000) }]
  }
}

export interface UsersOfRun {
  readonly chains: Readonly<Record<Slug, SimulatedChain>>
  /** Not there in a world of ledgers alone. */
  readonly bitcoin: BitcoinChain | undefined
  /** Not there in a world without Tron. */
  readonly tron: TronChain | undefined
  readonly use: Use
  readonly dice: Dice
  readonly tell: (event: string) => void
}

const askFor = (request: QuoteRequest, key: ApiKey | undefined) =>
  Effect.gen(function*() {
    const quoting = yield* Quoting
    return yield* quoting.quote(yield* quoting.newRequestId, request, key, "/intents/status")
  })

const Transaction = Schema.Struct({ memo: Schema.String, recipient: Address, amount: Schema.BigIntFromString })
const decodeStep = Schema.decodeUnknownSync(Schema.Struct({ transaction: Transaction }))

/** The order of a quote. One that is paid to a deposit address has it in its protocol data. */
export const orderIdOf = (quote: Quote): string => quote.protocol?.v2.orderId ?? memoOf(quote)

export const gasOf = ({ fees }: Quote): bigint => BigInt(fees.relayerGas.amount)

/** The deposit address of a quote. */
export const addressOf = ({ steps: [step] }: Quote): Address | undefined =>
  step?.depositAddress === undefined ? undefined : decodeAddress(step.depositAddress)

/** The transfer that a quote asks for. */
const transactionOf = (quote: Quote) => decodeStep(quote.steps[0]?.items[0]?.data).transaction

export const memoOf = (quote: Quote): string => transactionOf(quote).memo

/** What a quote asks to sign, as it is: a PSBT on Bitcoin, calls on Tron. */
interface ToSign {
  readonly psbt?: string
  readonly calls?: ReadonlyArray<RawData["act"]>
}

/** The order that a quote's steps name, and what is to be signed. */
const toSignOf = (quote: Quote, origin: AnySlug): ToSign & { readonly orderId: string } => {
  switch (origin) {
    case "bitcoin":
      return askedToSign(quote)
    case "tron":
      return { orderId: orderOf(quote), calls: callsOf(quote) }
    default:
      return { orderId: orderIdOf(quote) }
  }
}

/** The tries for a quote while the service is down. */
const TRIES = 10

const accountOfUser = (user: number, slug: AnySlug): string => {
  switch (slug) {
    case "bitcoin":
      return bitcoinAccounts[user]?.address ?? ""
    case "tron":
      return tronAccounts[user]?.address ?? ""
    default:
      return users[user] ?? ""
  }
}

/**
 * With the sponsor's key, if there is one. Undefined when the service is down for long, or refuses. `askedAt`: an answer
 * may be long under way, and its price holds from when the quote was made.
 */
export const askUntilQuoted = Effect.fnUntraced(function*(use: Use, request: QuoteRequest, dice: Dice, key?: ApiKey) {
  let quote: Quote & { readonly askedAt: number } | undefined
  for (let tried = 0; tried < TRIES && quote === undefined; tried += 1) {
    const askedAt = yield* Clock.currentTimeMillis
    const answer = yield* use(askFor(request, key))
    quote = answer === undefined ? undefined : { ...answer, askedAt }
    if (quote === undefined) yield* Effect.sleep(dice.between(1_000, 10_000))
  }
  return quote
})

/** All that users do in a run: ends when the last transfer of the last wallet is final. */
export const usersOf = (
  { bitcoin, chains, dice, families, flows, forgotten, tell, tron, use }: UsersOfRun & {
    readonly families: Families
    readonly flows: ReadonlySet<Flow>
    /** Orders that a restored store does not know. */
    readonly forgotten: ReadonlySet<string>
  },
  transfers: number,
  withinMs: number
) => {
  const asked: Array<Asked> = []
  const sends: Array<Sends> = []
  const sent: Array<Sent> = []
  const sign = makeWallet()
  const coins = bitcoin === undefined ? undefined : makeCoinWallet(bitcoin)

  /** Pays, into the depository unless it is said, and returns once that is final. `psbt`: what a quote asks to sign. */
  const payOnLedger = (origin: Slug, { address, amount, by, memo }: Paying, currency: string, recipient = address) => {
    const signed = sign(by, chains[origin], { currency, amount, memo, recipient })
    tell(`user ${by} sends ${amount} on ${origin} for ${address ?? memo.slice(0, 10)}`)
    sent.push({ by, origin, currency, amount, memo, address })
    return sendUntilFinal(chains[origin], signed)
  }
  const payOnBitcoin = Effect.fnUntraced(function*({ amount, by, memo }: Paying, psbt: string | undefined) {
    if (bitcoin === undefined || coins === undefined) return
    const paid = amount < LEAST_OUTPUT ? LEAST_OUTPUT : amount
    const key = bitcoinAccounts[by]
    const signed = key === undefined ? undefined : coins.sign({ by: key, outputs: outputsOf(paid, memo), psbt })
    if (key === undefined || signed === undefined) return tell(`user ${by} has too few coins to send ${paid}`)
    tell(`user ${by} sends ${paid} on bitcoin for ${memo.slice(0, 10)} by ${signed.id.slice(0, 10)}`)
    sent.push({ by, origin: "bitcoin", currency: bitcoinCurrency, amount: paid, memo })
    yield* payUntilSettled(bitcoin, coins, key, signed)
  })
  const payCoinAddress = Effect.fnUntraced(
    function*(address: Address, { amounts, by }: PaidInCoins, psbt: string | undefined) {
      if (bitcoin === undefined || coins === undefined) return
      const [key, outputs] = [bitcoinAccounts[by], outputsTo(address, amounts)]
      const amount = outputs.reduce((sum, each) => sum + each.amount, 0n)
      const signed = key === undefined ? undefined : coins.sign({ by: key, outputs, psbt })
      if (key === undefined || signed === undefined) return tell(`user ${by} has too few coins to send ${amount}`)
      tell(`user ${by} sends ${amount} on bitcoin to ${address} by ${signed.id.slice(0, 10)}`)
      sent.push({
        by,
        origin: "bitcoin",
        currency: bitcoinCurrency,
        amount,
        memo: "",
        address,
        outputs: outputs.map((each) => each.amount)
      })
      yield* payUntilSettled(bitcoin, coins, key, signed)
    }
  )
  let signedOnTron = 0
  /** An allowance is for one deposit: a wallet makes the next one when the last is settled. */
  const wallets = accountKeys.map(() => Semaphore.makeUnsafe(1))
  const payOnTron = Effect.fnUntraced(function*({ amount, by, memo }: Paying, currency: string, asked: ToSign) {
    const [key, wallet] = [tronAccounts[by], wallets[by]]
    if (tron === undefined || key === undefined || wallet === undefined) return
    const token = tokenIn(currency)
    const calls = asked.calls ??
      (token === undefined ? [depositOf(key, amount, memo)] : tokenDepositOf(key, token, amount, memo))
    tell(`user ${by} sends ${amount} on tron for ${memo.slice(0, 10)}`)
    const arrives = token === undefined ? amount : amount - keptOf(token, key.evm, amount)
    sent.push({ by, origin: "tron", currency, amount: arrives, memo })
    const paid = payInTurn(tron, calls, (act) => signOn(tron, key, act, signedOnTron += 1))
    yield* token === undefined ? paid : wallet.withPermit(paid)
  })
  const pay = (origin: AnySlug, paying: Paying, currency: string, asked: ToSign) =>
    Effect.suspend(() => {
      switch (origin) {
        case "bitcoin":
          return payOnBitcoin(paying, asked.psbt)
        case "tron":
          return payOnTron(paying, currency, asked)
        default:
          return payOnLedger(origin, paying, currency)
      }
    })

  const payAll = (payments: ReadonlyArray<Paying>, payOne: (paying: Paying) => Effect.Effect<void>) =>
    Effect.forEach(payments, (paying) => Effect.delay(Effect.suspend(() => payOne(paying)), paying.after), {
      concurrency: "unbounded",
      discard: true
    })

  /** Ends when all is final, and what the watcher does not look for has been moved by reindexes. */
  const payAtAddress = (
    at: Addressed<Slug>,
    manner: AddressManner,
    quoted: Pick<PaidToAddress, "by" | "currency" | "amount">,
    own: Dice
  ) => {
    const payments = paidToAddress(manner, { ...quoted, on: at.origin, after: own.between(0, 5_000) }, own)
    return Effect.forEach(
      payments,
      ({ after, amount, by, currency, on }) =>
        Effect.suspend(() => payOnLedger(on, { address: at.address, amount, by, memo: "", after }, currency)).pipe(
          Effect.delay(after),
          Effect.andThen(
            on === at.origin && currency === quoted.currency
              ? Effect.void
              : reindexUntilMoved(use, at, chains[on], on, currency)
          )
        ),
      { concurrency: "unbounded", discard: true }
    )
  }

  /** `psbt`: what the quote asks to sign. Whoever pays otherwise signs something else. */
  const payAtCoinAddress = (
    address: Address,
    manner: CoinAddressManner,
    { amount, by, psbt }: { readonly by: number; readonly amount: bigint; readonly psbt: string | undefined },
    own: Dice
  ) =>
    Effect.forEach(
      paidToCoinAddress(manner, { by, amount, after: own.between(0, 5_000) }, own),
      (paying) => {
        const isAsAsked = paying.by === by && paying.amounts.length === 1 && paying.amounts[0] === amount
        return Effect.delay(
          Effect.suspend(() => payCoinAddress(address, paying, isAsAsked ? psbt : undefined)),
          paying.after
        )
      },
      { concurrency: "unbounded", discard: true }
    )

  const payAtTronAddress = tron === undefined
    ? undefined
    : paysAtTronAddress({
      chain: tron,
      use,
      tell,
      onSent: (address, { amount, by, currency }) =>
        void sent.push({ by, origin: "tron", currency, amount, memo: "", address }),
      nextNumber: () => signedOnTron += 1
    })

  const one = (nth: number) =>
    Effect.gen(function*() {
      const own = dice.of(`transfer ${nth}`)
      const user = own.between(0, users.length - 1)
      const manner = own.chance(0.4) ? "exact" : own.pick(manners)
      const [origin, other] = drawRoute(families, own)
      const [currencyIn, currencyOut] = [drawCurrency(origin, own), drawCurrency(other, own)]
      const amountIn = unitsWorth(own.between(1_000_000, own.chance(0.8) ? 40_000_000 : 90_000_000), currencyIn)
      yield* Effect.sleep(own.between(0, withinMs))
      const drawn = drawFlows(own.of("flows"), flows, currencyIn)
      const { appBps, cap, isSend, isSponsored, parameters } = drawn
      // Payments within a chain are simulated on ledgers only.
      const ledger = origin === "bitcoin" || origin === "tron" ? undefined : origin
      const addressed = drawn.address === undefined ? undefined : ledger
      const addressMode = addressed === undefined ? drawn.otherAddress : drawn.address
      const sending = isSend ? ledger : undefined
      const destination = sending ?? other
      const [account, recipient] = [accountOfUser(user, origin), accountOfUser(user, destination)]
      const request = decodeRequest({
        user: account,
        ...(account === recipient ? {} : { recipient }),
        originChainId: chainIds[origin],
        destinationChainId: chainIds[destination],
        originCurrency: currencyIn,
        destinationCurrency: sending === undefined ? currencyOut : currencyIn,
        amount: `${amountIn}`,
        tradeType: "EXACT_INPUT",
        ...(sending === undefined ? {} : { recipient: shop }),
        ...parameters,
        ...(addressMode === undefined ? {} : {
          useDepositAddress: true,
          strict: addressMode === "strict",
          refundTo: account,
          includeProtocolData: true
        })
      })
      const quote = yield* askUntilQuoted(use, request, own, isSponsored ? sponsorKey : undefined)
      if (quote === undefined) return tell(`user ${user} gets no quote`)
      const { orderId, ...toSign } = toSignOf(quote, origin)
      const amountOut = BigInt(quote.details.currencyOut.amount)
      const requestId = RequestId.make(quote.steps[0]?.requestId ?? "")
      if (sending !== undefined) {
        const { amount, recipient: to } = transactionOf(quote)
        sends.push({ requestId, orderId, origin: sending, recipient: to, currency: currencyIn, amount })
        tell(`user ${user} is told to send ${amount} on ${origin}, pays ${manner}: ${orderId.slice(0, 10)}`)
        return yield* payAll(
          paymentsOf(manner, user, amount, orderId, own),
          (paying) => payOnLedger(sending, paying, currencyIn, to)
        )
      }
      const address = addressOf(quote)
      const wanted = own.of("address").pick(addressManners)
      // What came to a strict address on another chain stays there: a reindex of it is refused.
      const ledgerManner = wanted === "wrong-chain" && drawn.address === "strict" ? "wrong-currency" : wanted
      const coinManner = own.of("coin address").pick(coinAddressManners)
      const tronManner = own.of("tron address").pick(tronAddressManners)
      const otherManner = origin === "tron" ? tronManner : coinManner
      const addressManner = addressed === undefined ? otherManner : ledgerManner
      asked.push({
        user,
        manner: address === undefined ? manner : addressManner,
        origin,
        destination,
        recipient,
        currencyIn,
        currencyOut,
        amountIn,
        amountOut,
        gas: gasOf(quote),
        orderId,
        requestId,
        at: quote.askedAt,
        address,
        isSponsored,
        cap,
        appBps
      })
      tell(
        `user ${user} is quoted ${amountIn} from ${origin} to ${destination}, pays ${
          address === undefined ? manner : `${addressManner} at ${addressMode} ${address}`
        }: ${orderId.slice(0, 10)}${isSponsored ? ", sponsored" : ""}${
          appBps > 0n ? `, ${appBps} basis points for others` : ""
        }`
      )
      if (address !== undefined && addressed !== undefined) {
        const at = { address, origin: addressed, isSponsored, isForgotten: () => forgotten.has(orderId) }
        return yield* payAtAddress(
          at,
          ledgerManner,
          { by: user, currency: currencyIn, amount: amountIn },
          own.of("paying")
        )
      }
      if (address !== undefined && origin === "tron") {
        const at = { address, origin, isSponsored, isForgotten: () => forgotten.has(orderId) }
        const quoted = { by: user, currency: currencyIn, amount: amountIn, asked: toSign.calls?.at(-1) }
        return yield* payAtTronAddress?.(at, tronManner, quoted, own.of("paying")) ?? Effect.void
      }
      if (address !== undefined) {
        const paid = { by: user, amount: amountIn, psbt: toSign.psbt }
        return yield* payAtCoinAddress(address, coinManner, paid, own.of("paying"))
      }
      yield* payAll(paymentsOf(manner, user, amountIn, orderId, own), (paying) => {
        const isAsAsked = paying.by === user && paying.amount === amountIn && paying.memo === orderId
        return pay(origin, paying, currencyIn, isAsAsked ? toSign : {})
      })
    })

  const numbers = Array.from({ length: transfers }, (_, nth) => nth)
  return { asked, sends, sent, live: Effect.forEach(numbers, one, { concurrency: "unbounded", discard: true }) }
}

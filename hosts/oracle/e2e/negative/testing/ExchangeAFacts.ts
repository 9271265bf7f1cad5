/**
 * The facts of a world as transfers of exchange A, shown by its explorer, with the mappings that a transfer service
 * keeps.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import * as HubMappings from "../../../../../adapters/exchange-a/observe/HubMappings.ts"
import { ExchangeAQuorums, layer as observerLayer } from "../../../../../adapters/exchange-a/observe/Observer.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/exchange-a/observe/Withdrawals.ts"
import { viemHex } from "../../../../../adapters/ethereum/rpc/ViemHex.ts"
import { observedEndpoints } from "../../../../../adapters/quorum/Endpoints.ts"
import * as LocalSignatures from "../../../../../adapters/signing/LocalSignatures.ts"
import { account, exchangeAKey } from "../../../../../property-tests/EvidenceChains.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import type { Hex32 } from "../../../../../src/domain/encoding/Hex.ts"
import { isZero32 } from "../../../../../src/domain/encoding/Hex.ts"
import type { Observation, TransactionEvidence } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { decodeExchangeAWithdrawal } from "../../../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { serveJson } from "../../../../localnet/nodes/exchange-a/node/JsonServer.ts"
import { type FamilyUnderTest, oneTransferEach } from "./NegativeFamily.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import { signNonceMapping } from "../../../testing/SignNonceMapping.ts"
import { noWithdrawal, noObservations, showing } from "./Observed.ts"
import type { ShownWithdrawal } from "./Observed.ts"

interface Shown {
  readonly id: string
  readonly user: string
  readonly time: number
  readonly failed: boolean
  readonly action: object
  /** The mapping of the transfer's nonce, and whose order it names. */
  readonly mapping?: { readonly nonce: number; readonly id: Hex32; readonly key: Hex32 }
}

interface Exchange {
  readonly transactions: ReadonlyArray<Shown>
  /** Seconds. */
  readonly time: number
}

const NATIVE = "0x00000000000000000000000000000000"
const SOLVER = 5
const HOUR = 3_600

/** An amount in smallest units as the decimal that the exchange writes. */
const decimal = (amount: bigint): string => {
  const digits = amount.toString().padStart(9, "0")
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`
}

const network = { signatureChainId: "0xa4b1", hyperliquidChain: "Mainnet" } as const

const transferTo = (destination: string, currency: string, amount: bigint, nonce: number): object =>
  currency === NATIVE
    ? { type: "usdSend", ...network, destination, amount: decimal(amount), time: nonce }
    : {
      type: "sendAsset",
      ...network,
      destination,
      sourceDex: "spot",
      destinationDex: "spot",
      token: `TOK:${currency}`,
      amount: decimal(amount),
      fromSubAccount: "",
      nonce
    }

/** The worlds' accounts have smaller numbers than these. */
const numbers = new Map<string, number>(
  Array.from({ length: 100 }, (_, number) => [account("exchangea-vm", number), number])
)

const keyOf = (address: string): Hex32 => exchangeAKey(numbers.get(address) ?? 0)

/** One transfer: into a depository, or to the recipient of a payment. */
const shownOf = (
  { block, deposits: [deposit], finality, orderIds: [orderId], outcome, payments: [payment], transactionId }:
    TransactionEvidence,
  at: number
): Shown => {
  const nonce = 1_700_000_000_000 + at
  const user = deposit?.depositor ?? account("exchangea-vm", SOLVER)
  const id = deposit === undefined ? orderId : isZero32(deposit.depositId) ? undefined : deposit.depositId
  const [to, currency, amount] = deposit === undefined
    ? [payment?.recipient ?? user, payment?.currency ?? NATIVE, payment?.amount ?? 1n] as const
    : [deposit.depository, deposit.currency, deposit.amount] as const
  return {
    id: transactionId,
    user,
    time: block.time,
    failed: outcome !== "succeeded",
    action: transferTo(to, currency, amount, nonce),
    // "Not final" here means that the transfer's mapping may still come.
    ...(id === undefined || finality._tag !== "Final" ? {} : { mapping: { nonce, id, key: keyOf(user) } })
  }
}

const signatures = new Map<string, Promise<string>>()

/** Made once, because the worlds of the cases are nearly the same. */
const signed = (
  chain: string,
  wallet: string,
  mapping: { readonly id: string; readonly key: Hex32; readonly nonce: number }
): Promise<string> => {
  const of = JSON.stringify([chain, wallet, mapping])
  const made = signatures.get(of) ?? sign(chain, wallet, mapping)
  signatures.set(of, made)
  return made
}

const sign = (
  chain: string,
  wallet: string,
  { id, key, nonce }: { readonly id: string; readonly key: Hex32; readonly nonce: number }
): Promise<string> =>
  signNonceMapping(privateKeyToAccount(viemHex(key)), { chain, wallet: viemHex(wallet), id: viemHex(id), nonce })

const explorerShape = ({ action, failed, id, time, user }: Shown) => ({
  action,
  block: 1_000,
  error: failed ? "Insufficient balance" : null,
  hash: id,
  time: time * 1_000 + 999,
  user
})

const tokens = [1, 2].map((number) => ({
  name: "TOK",
  tokenId: `0x${number.toString(16).padStart(32, "0")}`,
  weiDecimals: 8
}))

const member = (value: unknown, name: string): string => {
  const found: unknown = typeof value === "object" && value !== null
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined
  return typeof found === "string" ? found : ""
}

const answerOf = ({ time, transactions }: Exchange, body: unknown): unknown => {
  switch (member(body, "type")) {
    case "txDetails": {
      const found = transactions.find(({ id }) => id === member(body, "hash"))
      return found === undefined
        ? { type: "error", message: "Transaction not found" }
        : { type: "txDetails", tx: explorerShape(found) }
    }
    case "userDetails":
      return {
        type: "userDetails",
        txs: transactions.filter(({ user }) => user === member(body, "user")).map(explorerShape)
      }
    case "spotMeta":
      return { tokens }
    default:
      return { time: time * 1_000 }
  }
}

/** A mapping, or the transfer service's answer that there is none. */
const mappingOf = async (slug: string, { transactions }: Exchange, wallet: string, nonce: string) => {
  const found = transactions.find(({ mapping, user }) =>
    user === wallet && mapping !== undefined && `${mapping.nonce}` === nonce
  )
  if (found?.mapping === undefined) return { status: 404, body: { code: "NONCE_MAPPING_NOT_FOUND" } }
  const { id } = found.mapping
  const signature = await signed(slug, wallet, found.mapping)
  return {
    status: 200,
    body: {
      walletChainId: slug,
      wallet,
      nonce,
      id,
      signatureChainId: 42_161,
      signature,
      createdAt: new Date(found.time * 1_000).toISOString()
    }
  }
}

/** Explorers of the chains, each with its own transactions, and the mapping service. */
const open = (
  all: ReadonlyArray<Chain>,
  shownOn: (chain: Chain) => Exchange
): Effect.Effect<Layer.Layer<ExchangeAQuorums | HubMappings.HubMappings>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const chains = all.filter(({ family }) => family.name === "exchangea-vm")
    const opened = yield* Effect.forEach(
      chains,
      (chain) =>
        Effect.map(
          serveJson(
            async ({ text }) => ({ question: "", status: 200, body: answerOf(shownOn(chain), JSON.parse(text)) }),
            () => undefined
          ),
          (url) => [chain.id, Result.getOrThrow(observedEndpoints([Redacted.make(url)]))] as const
        )
    )
    const hub = yield* serveJson(async ({ url }) => {
      const [, , , slug = "", wallet = "", nonce = ""] = url.pathname.split("/")
      const chain = chains.find((each) => each.slug === slug)
      const answer = chain === undefined
        ? { status: 404, body: null }
        : await mappingOf(slug, shownOn(chain), wallet, nonce)
      return { question: "", ...answer }
    }, () => undefined)
    return Layer.merge(
      Layer.succeed(ExchangeAQuorums, { of: new Map(opened) }),
      HubMappings.layer({ url: Redacted.make(hub), key: undefined })
    )
  })

const exchangeOf = (chain: Chain, shown: ReadonlyArray<Observation>): Exchange => {
  const seen = shown.flatMap((each, at) =>
    each._tag === "Transaction" && each.chain === chain.slug ? [{ each, at }] : []
  )
  const pending = seen.filter(({ each }) => each.finality._tag !== "Final").map(({ each }) => each.block.time)
  const latest = Math.max(0, ...seen.map(({ each }) => each.block.time))
  return {
    transactions: seen.map(({ at, each }) => shownOf(each, at)),
    time: pending.length > 0 ? Math.min(...pending) : latest + 2 * HOUR
  }
}

/** Evidence of exchangea-vm at the wire. */
export const exchangeAFacts: FamilyUnderTest = {
  family: "exchangea-vm",
  // An explorer that does not know a transaction cannot say which other exchange has it.
  shownAs: { "wrong-chain": "not-found", unread: "not-found" },
  ...oneTransferEach,
  open: (all) =>
    showing(
      noObservations,
      (shown) =>
        Effect.map(
          open(all, (chain) => exchangeOf(chain, shown())),
          (asked) => observerLayer.pipe(Layer.provide([asked, LocalSignatures.layer]))
        )
    )
}

const actionOf = (encoded: WithdrawalEvidence["withdrawal"]): object => {
  const { _tag, ...fields } = Result.getOrThrow(decodeExchangeAWithdrawal(encoded))
  const numbers = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
  )
  return { type: _tag === "UsdSend" ? "usdSend" : "sendAsset", signatureChainId: "0xa4b1", ...numbers }
}

const withdrawalsOf = ({ depository }: Chain, shown: ShownWithdrawal | undefined): Exchange => {
  if (shown === undefined) return { transactions: [], time: 0 }
  const { claimed, evidence: { state, withdrawal } } = shown
  const executed: ReadonlyArray<string> = state._tag === "Executed" ? state.transactionIds : []
  const ids = [...new Set([...executed, ...(claimed === undefined ? [] : [claimed])])]
  return {
    time: state._tag === "Unused" ? state.headTime : 1_800_000_000,
    // A claimed transaction that did not execute it was another transfer of the depository.
    transactions: ids.map((id, at) => ({
      id,
      user: depository,
      time: 1_700_000_000,
      failed: false,
      action: executed.includes(id) ? actionOf(withdrawal) : transferTo(depository, NATIVE, 7n, 1_700_000_000_000 + at)
    }))
  }
}

/** The states of exchangea-vm withdrawals at the wire. */
export const exchangeAWithdrawalFacts: WithdrawalFamilyUnderTest = {
  family: "exchangea-vm",
  /**
   * Evidence that is read by its hash never belongs to another withdrawal or exchange, and a withdrawal was either
   * executed or not.
   */
  cannotShow: ["evidence of another withdrawal", "evidence of another chain", "spent otherwise"],
  open: (all) =>
    showing(noWithdrawal, (shown) =>
      Effect.map(
        open(all, (chain) => withdrawalsOf(chain, shown())),
        (asked) => Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(Layer.provide([asked, LocalSignatures.layer]))
      ))
}

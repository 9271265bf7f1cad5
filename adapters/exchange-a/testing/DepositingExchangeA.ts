/**
 * A simulated exchange A for tests of what users do: an account with money, endpoints that can fail, and a store of
 * nonce mappings. Its clock moves by command: a second is what a block is on other chains.
 */
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { privateKeyToAccount } from "viem/accounts"
import { formatUnits } from "viem/utils"
import { serve } from "../../../hosts/localnet/nodes/exchange-a/ExchangeA.ts"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/ExchangeA.ts"
import { Book } from "../../../hosts/localnet/nodes/exchange-a/node/Book.ts"
import { USDC } from "../../../hosts/localnet/nodes/exchange-a/node/Token.ts"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { assetOf } from "../../../src/domain/families/exchange-a/payment/Asset.ts"
import { mappingData } from "../../../src/domain/families/exchange-a/steps/StepData.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { exchangeA as configured, exchangeAToken } from "../../../src/domain/quote/testing/Chains.ts"
import type { SignatureData } from "../../../src/domain/quote/wire/SignatureData.ts"
import { ExchangeATransactionData } from "../../../src/domain/families/exchange-a/ExchangeATransactionData.ts"
import { none as withoutLost } from "../addresses/LostSweeps.ts"
import { ExchangeAEndpoints } from "../rpc/ExchangeARpc.ts"
import * as ExchangeARpc from "../rpc/ExchangeARpc.ts"
import { postTransfer, signMapping, WALLET_CHAIN } from "./PublicClient.ts"

const TOK = { name: "TOK", tokenId: `0x${"7e".repeat(16)}`, weiDecimals: 5 }

const walletOf = (digits: string) => privateKeyToAccount(`0x${digits.repeat(32)}`)
export type ExchangeAWallet = ReturnType<typeof walletOf>

export const accountOf = ({ address }: Pick<ExchangeAWallet, "address">): Address => Address.make(address.toLowerCase())

const Posted = Schema.Struct({ nonce: Schema.Int, id: Hex32FromString, wallet: Address })
const decodePosted = Schema.decodeUnknownSync(Posted)
const decodeTransfer = Schema.decodeUnknownSync(ExchangeATransactionData)

/** Keeps the first mapping of a nonce, whatever it says. */
const makeMappings = () => {
  const kept = new Map<string, KeptNonceMapping>()
  const keyOf = (wallet: string, nonce: bigint) => `${wallet} ${nonce}`
  const service = NonceMappings.of({
    keep: (mapping) =>
      Effect.sync(() => {
        const key = keyOf(mapping.wallet, mapping.nonce)
        const first = kept.get(key) ?? mapping
        kept.set(key, first)
        return first
      }),
    find: (_, wallet, nonce) => Effect.sync(() => kept.get(keyOf(wallet, nonce)))
  })
  return service
}

/** `hosts`: endpoints of one exchange, each with faults of its own. Two at most. */
export const startDepositingExchangeA = Effect.fnUntraced(function*(hosts: 1 | 2, weightPerMinute: number) {
  const book = new Book([USDC, TOK])
  book.hold()
  const [user, other] = [walletOf("a1"), walletOf("b2")]
  for (const { address } of [user, other, { address: configured.depository }]) {
    for (const dex of ["", "spot"]) book.credit(address, dex, 10n ** 14n)
    book.credit(address, "spot", 10n ** 12n, TOK)
  }
  // Another name of the loopback is another host.
  const endpoints = yield* Effect.forEach(["127.0.0.1", "localhost"].slice(0, hosts), (host) =>
    Effect.gen(function*() {
      const port = yield* anyFree
      let fault: ExchangeFault | undefined
      yield* serve(book, { port, fault: () => fault })
      return {
        url: `http://${host}:${port}`,
        setFault: (next: ExchangeFault | undefined) => Effect.sync(() => void (fault = next))
      }
    }))
  const [first] = endpoints
  if (first === undefined) return yield* Effect.die(new Error("no endpoint"))
  const chain: Chain = configured
  const mappings = makeMappings()
  let last = 0
  const nextNonce = () => last = Math.max(last + 1, book.now())

  /** What the account sent last. */
  const newestOf = (wallet: ExchangeAWallet) => {
    const [newest] = book.ofAccount(wallet.address)
    return Result.getOrThrow(parseTransactionId(chain.family, newest?.hash ?? ""))
  }
  /** Keeps what a wallet has signed as `/authorize` does, at the exchange's time unless given. */
  const keep = (
    { body, signature }: Awaited<ReturnType<typeof signMapping>>,
    changes: Partial<KeptNonceMapping> = {}
  ) => {
    const { id, nonce, wallet } = decodePosted(body)
    return mappings.keep({
      chain: chain.slug,
      wallet,
      depositor: wallet,
      nonce: BigInt(nonce),
      id,
      signatureChainId: WALLET_CHAIN,
      signature,
      createdAt: book.now(),
      ...changes
    }).pipe(Effect.orDie)
  }
  /** `by`: the signer, the wallet unless given. */
  const map = (order: Hex32, nonce: number, changes: Partial<KeptNonceMapping> = {}, by = user) =>
    Effect.flatMap(
      Effect.promise(() => signMapping(by, mappingData(chain, accountOf(user), OrderId.make(order), nonce))),
      (signed) => keep(signed, changes)
    )
  /** A `sendAsset` by the unmodified SDK. */
  const send = Effect.fnUntraced(
    function*(currency: Currency, amount: bigint, nonce: number) {
      const { dex, tokenId } = assetOf(currency.address)
      const transport = new HttpTransport({ apiUrl: first.url })
      const client = new ExchangeClient({ transport, wallet: user, nonceManager: () => nonce })
      yield* Effect.promise(() =>
        client.sendAsset({
          destination: chain.depository,
          sourceDex: dex,
          destinationDex: dex,
          token: `${currency.symbol}:${tokenId}`,
          amount: formatUnits(amount, currency.decimals),
          fromSubAccount: ""
        })
      )
      return newestOf(user)
    }
  )
  const deposit = Effect.fnUntraced(function*(currency: Currency, amount: bigint, order: Hex32) {
    const nonce = nextNonce()
    yield* map(order, nonce)
    return yield* send(currency, amount, nonce)
  })
  /** Signs and posts what a step asks for. */
  const authorize = (data: SignatureData) => Effect.flatMap(Effect.promise(() => signMapping(user, data)), keep)
  const transfer = Effect.fnUntraced(function*(data: unknown) {
    const answer = yield* Effect.promise(() => postTransfer(user, first.url, decodeTransfer(data)))
    return answer.includes(`"ok"`) ? newestOf(user) : yield* Effect.die(new Error(answer))
  })
  return {
    authorize,
    book,
    chain,
    deposit,
    endpoints,
    map,
    mappings,
    native: chain.native,
    nextNonce,
    other,
    send,
    setFault: first.setFault,
    token: exchangeAToken,
    transfer,
    user,
    layerRpc: Layer.merge(
      ExchangeARpc.layer.pipe(Layer.provide(Layer.succeed(ExchangeAEndpoints, {
        urls: new Map([[chain.id, endpoints.map(({ url }) => Redacted.make(url))]]),
        quorums: new Map([[chain.id, endpoints.length]]),
        weightPerMinute
      }))),
      Layer.merge(Layer.succeed(NonceMappings, mappings), withoutLost)
    )
  }
})

export type DepositingExchangeA = Effect.Success<ReturnType<typeof startDepositingExchangeA>>

const NO_TRANSACTION = `0x${"0".repeat(64)}`

/** The fixture of the contracts of the ports. `stranger` has no balance. */
export const fixtureOf = (
  { authorize, book, chain, deposit, token, transfer, user }: DepositingExchangeA
) =>
  FamilyFixture.of({
    chain,
    token,
    user: accountOf(user),
    stranger: Address.make(`0x${"77".repeat(20)}`),
    refusing: undefined,
    balance: (of, currency) =>
      Effect.sync(() => book.balance(of, assetOf(currency.address).dex, currency.isNative ? USDC : TOK)),
    deposit,
    carryOut: (step) =>
      Effect.gen(function*() {
        const [item] = step.items
        if (item === undefined) return yield* Effect.die(new Error("no item"))
        if (!("sign" in item.data)) return yield* transfer(item.data)
        yield* authorize(item.data)
        return Result.getOrThrow(parseTransactionId(chain.family, NO_TRANSACTION))
      }),
    mine: Effect.sync(() => book.pass(1_000)),
    finalise: Effect.sync(() => book.pass(1_000)),
    takeBack: Effect.die(new Error("the exchange takes nothing back"))
  })

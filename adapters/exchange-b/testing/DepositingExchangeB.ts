/**
 * A simulated exchange B for tests of what users do: accounts with money, and endpoints that can fail. Its clock moves by
 * command: a second is what a block is on other chains.
 */
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import type { ExchangeFault } from "../../../hosts/localnet/nodes/exchange-a/node/Fault.ts"
import { serve } from "../../../hosts/localnet/nodes/exchange-b/ExchangeB.ts"
import { State } from "../../../hosts/localnet/nodes/exchange-b/node/State.ts"
import { messageOf } from "../../../hosts/localnet/nodes/exchange-b/node/Transfers.ts"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { FamilyFixture } from "../../../property-tests/family/FamilyFixture.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { type Hex32, Hex32FromString, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { assetOf } from "../../../src/domain/families/exchange-b/payment/Asset.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { exchangeB as configured, exchangeBToken } from "../../../src/domain/quote/testing/Chains.ts"
import { isExchangeBData } from "../../../src/domain/families/TransactionData.ts"
import { DepositoryAccess } from "../DepositoryAccess.ts"
import { ExchangeBEndpoints } from "../rpc/ExchangeBRpc.ts"
import * as ExchangeBRpc from "../rpc/ExchangeBRpc.ts"

const [USER, OTHER, STRANGER] = [1_001, 1_002, 1_003]
const DEPOSITORY = Number(configured.depository)
const FUNDS = 10 ** 12
const SECOND = 1_000

const decodeMemo = Schema.decodeUnknownSync(Hex32FromString)

const walletOf = (digits: string) => privateKeyToAccount(`0x${digits.repeat(32)}`)

/** What a transfer says besides the memo. */
export interface Sending {
  readonly from?: number
  readonly to?: number
  readonly asset?: number
  readonly route?: number
  readonly fee?: number
  /** False: the owner's signature is left out, which the exchange takes within one owner alone. */
  readonly signed?: boolean
}

/** `hosts`: endpoints of one exchange, each with faults of its own. Two at most. */
export const startDepositingExchangeB = Effect.fnUntraced(
  function*(hosts: 1 | 2, requestsPerMinute: number, transferFee?: bigint) {
    const state = new State()
    state.stoppedAt = Date.now()
    // Tests send any amount. What the least does is shown where payments are.
    state.leasts.clear()
    const wallets = new Map([[USER, walletOf("a1")], [OTHER, walletOf("b2")], [DEPOSITORY, walletOf("d4")]])
    for (const [index, { address }] of wallets) {
      state.open(index, address)
      for (const asset of [1, 3]) for (const route of [0, 1]) state.credit(index, asset, route, FUNDS)
    }
    state.open(STRANGER, walletOf("c3").address)
    // Another name of the loopback is another host.
    const endpoints = yield* Effect.forEach(
      ["127.0.0.1", "localhost"].slice(0, hosts),
      (host) =>
        Effect.gen(function*() {
          const port = yield* anyFree
          let fault: ExchangeFault | undefined
          yield* serve(state, { port, fault: () => fault })
          return {
            url: `http://${host}:${port}`,
            setFault: (next: ExchangeFault | undefined) => Effect.sync(() => void (fault = next))
          }
        })
    )
    const [first] = endpoints
    if (first === undefined) return yield* Effect.die(new Error("no endpoint"))
    const chain: Chain = configured

    /** A transfer as clients make it, signed by the sender's owner. Returns its id. */
    const send = Effect.fnUntraced(function*(amount: number, memo: Hex32, given: Sending = {}) {
      const from = given.from ?? USER
      const info = {
        FromAccountIndex: from,
        ApiKeyIndex: 2,
        ToAccountIndex: given.to ?? DEPOSITORY,
        AssetIndex: given.asset ?? 3,
        FromRouteType: given.route ?? 0,
        ToRouteType: given.route ?? 0,
        Amount: amount,
        USDCFee: given.fee ?? 0,
        Memo: [...hexToBytes(memo)],
        Nonce: state.nextNonce(from, 2),
        ExpiredAt: state.now() + 600_000
      }
      const wallet = wallets.get(from) ?? walletOf("c3")
      const sent = yield* Effect.promise(async () => {
        const L1Sig = given.signed === false ? "" : await wallet.signMessage({ message: messageOf(info, 304) })
        return state.take(JSON.stringify({ ...info, L1Sig }))
      })
      return Result.getOrThrow(parseTransactionId(chain.family, sent.hash))
    })
    const deposit = (currency: Currency, amount: bigint, order: Hex32, given: Sending = {}) => {
      const { assetIndex, route } = assetOf(currency.address)
      return send(Number(amount), order, { asset: Number(assetIndex), route: Number(route), ...given })
    }
    return {
      DEPOSITORY,
      OTHER,
      STRANGER,
      USER,
      chain,
      deposit,
      endpoints,
      native: chain.native,
      send,
      setFault: first.setFault,
      state,
      token: exchangeBToken,
      layerRpc: Layer.merge(
        ExchangeBRpc.layer.pipe(Layer.provide(Layer.succeed(ExchangeBEndpoints, {
          urls: new Map([[chain.id, endpoints.map(({ url }) => Redacted.make(url))]]),
          quorums: new Map([[chain.id, endpoints.length]]),
          allowance: { _tag: "Requests", perMinute: requestsPerMinute }
        }))),
        Layer.succeed(DepositoryAccess, {
          token: Redacted.make(`ro:${DEPOSITORY}:single:99999999999:${"ab".repeat(16)}`),
          transferFee
        })
      )
    }
  }
)

export type DepositingExchangeB = Effect.Success<ReturnType<typeof startDepositingExchangeB>>

/** The fixture of the contracts of the ports. `stranger` has no balance. */
export const fixtureOf = ({ STRANGER, USER, chain, deposit, send, state, token }: DepositingExchangeB) =>
  FamilyFixture.of({
    chain,
    token,
    user: asAddress(`${USER}`),
    stranger: asAddress(`${STRANGER}`),
    refusing: undefined,
    balance: (of, currency) =>
      Effect.sync(() => {
        const { assetIndex, route } = assetOf(currency.address)
        return BigInt(state.balance(Number(of), Number(assetIndex), Number(route)))
      }),
    deposit,
    carryOut: (step) => {
      const [item] = step.items
      if (item === undefined || "sign" in item.data || !isExchangeBData(item.data)) {
        return Effect.die(new Error("no transfer of exchange B"))
      }
      const { amount, assetIndex, fromRouteType, memo, toAccountIndex, usdcFee } = item.data.action.parameters
      const given = { asset: assetIndex, route: fromRouteType, fee: usdcFee, to: toAccountIndex }
      return send(amount, decodeMemo(memo), given)
    },
    mine: Effect.sync(() => void (state.offset += SECOND)),
    finalise: Effect.sync(() => void (state.offset += SECOND)),
    takeBack: Effect.die(new Error("the exchange takes nothing back"))
  })

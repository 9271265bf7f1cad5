/**
 * Deposit addresses on Solana: every row and column of the table in ADDRESS-5, reindexing, and a kill at the sweep, for
 * a user who only sends money.
 */
import { assert, layer } from "@effect/vitest"
import { address } from "@solana/kit"
import { ConfigProvider, Effect, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startKillable } from "../../testing/Fixture.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { feeToken, usdc } from "../../../localnet/nodes/solana/Mints.ts"
import type { Mint } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { diagnose } from "../../operations/Diagnosis.ts"
import { post, postQuote } from "../../testing/Client.ts"
import { spawnHost, startHost as startAlone } from "../../testing/HostProcess.ts"
import { reindex, requestsOf } from "../../testing/Addressed.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { paySolana, solanaAddressFor } from "../../testing/SolanaAddressed.ts"
import { injectSweepCrashes } from "../crash/testing/SweepCrashInjection.ts"
import { endedAnywhere, solanaBalances } from "../../testing/SolanaClient.ts"
import { SOL as NATIVE_SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import type { TestCurrency } from "../../testing/Tokens.ts"

const programs = requirePostgres()

/** Each has its own address and accounts, and mostly waits. */
const atOnce = { concurrent: true }

class Running extends fixtureOf<Running>()("test/SolanaAddresses", startKillable(startSolanaNetwork(100, 8))) {}

interface Deposited {
  readonly symbol: string
  readonly address: string
  readonly token: Mint | undefined
  readonly some: bigint
  /** The currency that is delivered for it. */
  readonly delivered: TestCurrency
  /** More than the gas of a sweep and a refund, and the rent of an account, far less than the amounts sent. */
  readonly dust: bigint
}

const SOL: Deposited = {
  symbol: "SOL",
  address: NATIVE_SOL,
  token: undefined,
  some: 500_000_000n,
  delivered: ETH,
  dust: 1_000_000n
}
const SPL: Deposited = {
  symbol: "USDC",
  address: usdc.address,
  token: usdc,
  some: 25_000_000n,
  delivered: USDC,
  dust: 500_000n
}

const newAddress = () => keyOfSeed(new Uint8Array(randomBytes(32))).address

const decodeRecord = Schema.decodeUnknownSync(Schema.Struct({
  depositAddress: Schema.String,
  type: Schema.String,
  requestId: Schema.String,
  chainId: Schema.Int,
  currency: Schema.String,
  refundTo: Schema.NullOr(Schema.String)
}))

layer(Running.layer, { excludeTestServices: true })("a deposit address on Solana", (it) => {
  const ask = Effect.fnUntraced(function*(currency: Deposited, changes: object = {}, url?: string) {
    const running = yield* Running
    const user = running.solanaUsers[0]?.address ?? ""
    const [recipient, refundTo] = [running.fresh(), newAddress()]
    const made = yield* solanaAddressFor(url ?? running.url, {
      user,
      recipient,
      refundTo,
      originChainId: SOLANA_CHAIN,
      destinationChainId: running.chains.beta.chainId,
      originCurrency: currency.address,
      destinationCurrency: currency.delivered.address,
      amount: currency.some.toString(),
      tradeType: "EXACT_INPUT",
      ...changes
    })
    return { ...made, recipient, refundTo }
  })

  /** A payment by any account: an exchange, a friend. */
  const send = Effect.fnUntraced(function*(to: string, currency: Deposited, amount: bigint) {
    const { solana, solanaUsers: [, payer] } = yield* Running
    if (payer === undefined) return yield* Effect.die(new Error("no such user"))
    yield* paySolana(solana.url, payer, to, currency.token, amount)
  })

  const lying = Effect.fnUntraced(function*(owner: string, { token }: Deposited) {
    const { solana } = yield* Running
    const ata = token === undefined
      ? undefined
      : yield* Effect.promise(() => tokenAccount(address(owner), token.address, token.program))
    const { lamports, tokens } = yield* solanaBalances(solana.url, owner, ata)
    return token === undefined ? lamports : tokens
  })

  const arrived = Effect.fnUntraced(function*({ delivered }: Deposited, account: `0x${string}`) {
    const { chains } = yield* Running
    return yield* held(chains.beta, delivered, account)
  })

  const assertBack = Effect.fnUntraced(function*(currency: Deposited, account: string, sent: bigint) {
    const back = yield* eventually(`${currency.symbol} is back`, lying(account, currency), (balance) => balance > 0n)
    assert.isTrue(back < sent && back > sent - currency.dust, `${back} of ${sent} ${currency.symbol}`)
    return back
  })

  const promised = (
    { quoted: { details } }: {
      readonly quoted: { readonly details: { readonly currencyOut: { readonly amount: string } } }
    }
  ): bigint => BigInt(details.currencyOut.amount)

  for (const currency of [SOL, SPL]) {
    for (const strict of [false, true]) {
      it.effect(
        `${currency.symbol}, ${
          strict ? "strict" : "open"
        }: the exact amount is filled as quoted, and nothing of it stays`,
        () =>
          Effect.gen(function*() {
            const { url } = yield* Running
            const { depositAddress, recipient, refundTo, requestId, ...made } = yield* ask(currency, { strict })
            const record = {
              depositAddress,
              type: strict ? "strict" : "open",
              requestId,
              chainId: SOLANA_CHAIN,
              currency: currency.address,
              refundTo
            }
            assert.deepInclude(
              decodeRecord(
                (yield* get(`${url}/deposit-addresses?chainId=${SOLANA_CHAIN}&address=${depositAddress}`)).json()
              ),
              record
            )
            assert.deepInclude(
              decodeRecord((yield* get(`${url}/deposit-addresses?requestId=${requestId}`)).json()),
              record
            )
            yield* send(depositAddress, currency, currency.some)
            assert.strictEqual((yield* endedAnywhere(url, made.quoted)).status, "success")
            assert.strictEqual(yield* arrived(currency, recipient), promised(made))
            assert.deepStrictEqual([yield* lying(depositAddress, currency), yield* lying(depositAddress, SOL)], [
              0n,
              0n
            ])
          }),
        atOnce
      )
    }

    it.effect(
      `${currency.symbol}, open: a larger amount is filled, and each later deposit is a separate request`,
      () =>
        Effect.gen(function*() {
          const { url } = yield* Running
          const { depositAddress, quoted, recipient } = yield* ask(currency)
          yield* send(depositAddress, currency, currency.some * 2n)
          assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
          const first = yield* arrived(currency, recipient)
          assert.isTrue(first > promised({ quoted }))
          yield* send(depositAddress, currency, currency.some)
          const both = yield* eventually("a second request succeeds", requestsOf(url, depositAddress), (found) =>
            found.length === 2 && found.every(({ status }) =>
              status === "success"
            ))
          const second = (yield* arrived(currency, recipient)) - first
          assert.isTrue(second > 0n && second < first)
          assert.deepStrictEqual(
            both.map(({ data }) => data.refunds),
            [[], []]
          )
        }),
      atOnce
    )

    it.effect(
      `${currency.symbol}, strict: of a larger amount the quoted part is filled, the excess is returned as a separate leg, and so is a later deposit`,
      () =>
        Effect.gen(function*() {
          const { url } = yield* Running
          const { depositAddress, quoted, recipient, refundTo } = yield* ask(currency, { strict: true })
          yield* send(depositAddress, currency, currency.some * 2n)
          assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
          assert.strictEqual(yield* arrived(currency, recipient), promised({ quoted }))
          const back = yield* assertBack(currency, refundTo, currency.some)
          const [request] = yield* eventually("the leg is shown", requestsOf(url, depositAddress), ([one]) =>
            one?.data.refunds[0]?.state === "paid")
          assert.deepInclude(request?.data.refunds[0], {
            refunded: back.toString(),
            recipient: refundTo,
            chainId: SOLANA_CHAIN
          })
          assert.deepStrictEqual([request?.status, request?.data.failReason], ["success", "N/A"])
          yield* send(depositAddress, currency, currency.some)
          yield* eventually("the second is back", lying(refundTo, currency), (balance) =>
            balance > back)
          assert.strictEqual(yield* arrived(currency, recipient), promised({ quoted }))
          assert.strictEqual((yield* requestsOf(url, depositAddress))[0]?.status, "success")
        }),
      atOnce
    )

    it.effect(
      `${currency.symbol}, strict: a smaller amount fails and is refunded, and so is what comes after it`,
      () =>
        Effect.gen(function*() {
          const { url } = yield* Running
          const { depositAddress, quoted, recipient, refundTo } = yield* ask(currency, { strict: true })
          yield* send(depositAddress, currency, currency.some - 1n)
          const end = yield* endedAnywhere(url, quoted)
          assert.deepStrictEqual([end.status, end.failReason], ["refund", "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL"])
          const back = yield* assertBack(currency, refundTo, currency.some)
          yield* send(depositAddress, currency, currency.some)
          yield* eventually("the second is back too", lying(refundTo, currency), (balance) => balance > back)
          assert.strictEqual(yield* arrived(currency, recipient), 0n)
        }),
      atOnce
    )
  }

  it.effect(
    "open: a smaller amount is filled when it covers its fees, otherwise it waits",
    () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const { depositAddress, quoted, recipient } = yield* ask(SPL)
        yield* send(depositAddress, SPL, 1n)
        yield* Effect.sleep("2 seconds")
        assert.deepStrictEqual((yield* requestsOf(url, depositAddress)).map(({ status }) => status), ["waiting"])
        yield* send(depositAddress, SPL, SPL.some / 2n)
        assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
        const delivered = yield* arrived(SPL, recipient)
        assert.isTrue(delivered > 0n && delivered <= SPL.some / 2n)
      }),
    atOnce
  )

  it.effect(
    "a reindex finds unexpected money, and sends it to refundTo, else to recoveryAddress",
    () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const recoveryAddress = newAddress()
        for (const named of ["refundTo", "recoveryAddress"] as const) {
          const { depositAddress, refundTo } = yield* ask(
            SOL,
            named === "refundTo" ? {} : { refundTo: undefined, recoveryAddress }
          )
          yield* send(depositAddress, SPL, SPL.some)
          const answer = yield* reindex(url, { chainId: SOLANA_CHAIN, depositAddress, currency: usdc.address })
          assert.deepStrictEqual([answer.status, answer.json()], [200, {
            message: "1 withdrawal queued",
            triggeredCurrencies: [{ currency: usdc.address, symbol: "USDC", balance: `${SPL.some}` }],
            checkedCurrencies: 1,
            failedCurrencies: 0
          }])
          yield* assertBack(SPL, named === "refundTo" ? refundTo : recoveryAddress, SPL.some)
          const [request] = yield* eventually(
            "the leg is shown",
            requestsOf(url, depositAddress),
            ([one]) => one?.data.refunds[0]?.state === "paid"
          )
          assert.strictEqual(request?.status, "waiting", "the order still waits for what it was made for")
        }
      }),
    atOnce
  )

  it.effect(
    "a reindex searches no other kind of chain, leaves amounts that would not arrive whole, and says when nothing is there",
    () =>
      Effect.gen(function*() {
        const { chains, fresh, solanaUsers, url } = yield* Running
        const { depositAddress } = yield* ask(SOL)
        const strict = yield* ask(SOL, { strict: true })
        for (const each of [depositAddress, strict.depositAddress]) {
          assert.strictEqual(
            (yield* reindex(url, { chainId: SOLANA_CHAIN, depositAddress: each, targetChainId: chains.alpha.chainId }))
              .status,
            400
          )
        }
        assert.strictEqual((yield* reindex(url, { chainId: SOLANA_CHAIN, depositAddress: newAddress() })).status, 404)
        const empty = yield* reindex(url, { chainId: SOLANA_CHAIN, depositAddress })
        assert.deepStrictEqual(empty.json(), {
          message: "nothing lies at the deposit address",
          triggeredCurrencies: [],
          checkedCurrencies: 2,
          failedCurrencies: 1
        })
        assert.strictEqual(
          (yield* reindex(url, { chainId: SOLANA_CHAIN, depositAddress, currency: feeToken.address })).status,
          429
        )
        const unwhole = yield* postQuote(url, {
          user: solanaUsers[0]?.address,
          recipient: fresh(),
          originChainId: SOLANA_CHAIN,
          destinationChainId: chains.beta.chainId,
          originCurrency: feeToken.address,
          destinationCurrency: USDC.address,
          amount: "25000000",
          tradeType: "EXACT_INPUT",
          useDepositAddress: true
        })
        assert.strictEqual(unwhole.status, 400, unwhole.text)
      }),
    atOnce
  )

  it.effect("is swept once by a host that is killed after signing the sweep: signed again once it has expired", () =>
    Effect.gen(function*() {
      const running = yield* Running
      yield* running.host.kill("SIGKILL")
      yield* injectSweepCrashes(running, [["Payments.signOnce sweep:after", "expires"]])
    }))

  it.effect("agrees with the store, as the doctor sees it", () =>
    Effect.gen(function*() {
      const { environment } = yield* Running
      const { findings } = yield* Effect.provideService(
        diagnose(undefined),
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown(environment)
      ).pipe(Effect.orDie)
      assert.deepStrictEqual(findings.filter(({ kind }) => kind !== "overdue-request"), [])
    }))

  if (programs !== undefined) {
    it.effect("is quoted only by a process without the seed, from the stock that a worker has prepared", () =>
      Effect.gen(function*() {
        const { chains, environment, fresh, solanaUsers } = yield* Running
        const server = yield* PostgresServer.start(programs)
        const { DEPOSIT_ADDRESS_SEED, ...unseeded } = environment
        const shared = { ...unseeded, DATABASE_URL: Redacted.value(yield* server.createDatabase) }
        const refused = yield* spawnHost("transfer", { ...shared, DEPOSIT_ADDRESS_SEED: DEPOSIT_ADDRESS_SEED ?? "" })
        yield* refused.ended
        assert.include(refused.output(), "DEPOSIT_ADDRESS_SEED is set in a process that only answers HTTP")
        assert.notInclude(refused.output(), DEPOSIT_ADDRESS_SEED ?? "none")
        const api = yield* startAlone(shared)
        const [recipient, user] = [fresh(), solanaUsers[0]?.address ?? ""]
        const body = {
          user,
          recipient,
          originChainId: SOLANA_CHAIN,
          destinationChainId: chains.beta.chainId,
          originCurrency: SOL.address,
          destinationCurrency: ETH.address,
          amount: SOL.some.toString(),
          tradeType: "EXACT_INPUT",
          useDepositAddress: true
        }
        const early = yield* post(`${api.url}/quote`, body)
        assert.strictEqual(early.status, 503)
        assert.deepInclude(early.json(), { errorCode: "SERVICE_UNAVAILABLE", retryable: true })
        yield* spawnHost("worker", {
          ...shared,
          DEPOSIT_ADDRESS_SEED: DEPOSIT_ADDRESS_SEED ?? "",
          RUNNER_PORT: `${yield* anyFree}`
        })
        const { depositAddress, quoted } = yield* solanaAddressFor(api.url, body)
        yield* send(depositAddress, SOL, SOL.some)
        assert.strictEqual((yield* endedAnywhere(api.url, quoted)).status, "success")
        assert.strictEqual(yield* arrived(SOL, recipient), promised({ quoted }))
      }))
  }
})

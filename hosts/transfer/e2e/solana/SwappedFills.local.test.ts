/**
 * Currencies on Solana that the solver does not hold are paid through a swap in the fill: real pools, a hub and an oracle
 * that settle it.
 */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { address } from "@solana/kit"
import { Effect, Result, Schema } from "effect"
import { parseEther, parseUnits, toHex } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../../src/domain/encoding/Hex.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import type { Order, OrderOutputPayment, OrderRefund } from "../../../../src/domain/order/Order.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { holding } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import type { Lie } from "../../../localnet/nodes/solana/jupiter/JupiterServer.ts"
import type { Mint } from "../../../localnet/nodes/solana/Mints.ts"
import { feeToken, usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { dust, gem } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { instructionsIn, poolsIn } from "../../../localnet/nodes/solana/testing/RouteOf.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { execute, post, postQuote, QuoteAnswer } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { resigned } from "../../testing/Resigned.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { settled } from "../../testing/Settlements.ts"
import { endedAnywhere, quoteSolana, sendSolana, stepOf, toSolana } from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { keyOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { verifierOf } from "../../testing/Verified.ts"
import { randomBytes } from "node:crypto"

const sponsor: TestSponsor = { id: "swapped-fills", wallet: `0x${"a8".repeat(20)}`, balance: 1_000_000_000n }

class Running extends fixtureOf<Running>()(
  "test/SwappedFillsRunning",
  startFixture(Effect.flatMap(startSolanaNetwork(), (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling,
    sponsors: [sponsor]
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const evmUsdc = addressOf("TestUSDC")
const GEMS = 1_000_000_000n

const newAddress = () => keyOfSeed(new Uint8Array(randomBytes(32))).address

const held = Effect.fnUntraced(function*(owner: string, mint: Mint) {
  const { solana } = yield* Running
  const account = yield* Effect.promise(() => tokenAccount(address(owner), mint.address, mint.program))
  return holding(solana.chain.read(account, "confirmed"))?.amount ?? 0n
})

const Amount = Schema.Struct({ amount: Schema.BigIntFromString, minimumAmount: Schema.BigIntFromString })
const Refunded = Schema.Struct({ ...Amount.fields, currency: Schema.Struct({ address: Schema.String }) })
const Detailed = Schema.Struct({
  details: Schema.Struct({
    currencyIn: Amount,
    currencyOut: Amount,
    fallbackType: Schema.optionalKey(Schema.String),
    refundOnDestination: Schema.optionalKey(Refunded),
    route: Schema.Struct({ destination: Schema.Struct({ router: Schema.String, inputCurrency: Amount }) })
  })
})

/** A quote from ether on alpha to a token on Solana, checked by its client: nothing is left to check. */
const asked = Effect.fnUntraced(
  function*(
    index: number,
    recipient: string,
    amount: bigint,
    changes: object = {},
    from: string = NATIVE,
    to: Mint = gem
  ) {
    const { chains, environment, partyOf, url } = yield* Running
    const body = {
      ...toSolana(partyOf(index).evmUser, recipient, from, to.address, chains.alpha.chainId, amount, changes),
      includeProtocolData: true
    }
    const answer = yield* postQuote(url, body)
    assert.strictEqual(answer.status, 200, answer.text)
    const shown = Schema.decodeUnknownSync(Detailed)(answer.json()).details
    const { minimumAmount, currency } = shown.refundOnDestination ?? {}
    // What the client would value by prices of its own.
    const bounds = currency === undefined || minimumAmount === undefined
      ? {}
      : { minimumRefundOnDestination: { currency: currency.address, amount: minimumAmount } }
    const unbounded = yield* verifierOf(chains, body, {}, environment)
    assert.deepStrictEqual(
      unbounded(answer.json()).checks.filter(({ outcome }) => outcome !== "ok").map(({ name, outcome }) =>
        `${name} ${outcome}`
      ),
      currency === undefined ? [] : ["refund on the destination within the client's bound unchecked"]
    )
    const verify = yield* verifierOf(chains, body, bounds, environment)
    assert.deepStrictEqual(verify(answer.json()).checks.filter(({ outcome }) => outcome !== "ok"), [])
    return {
      quoted: Schema.decodeUnknownSync(QuoteAnswer)(answer.json()),
      shown,
      verify,
      answer: answer.json()
    }
  }
)

const deposited = Effect.fnUntraced(function*(index: number, quoted: QuoteAnswer) {
  const { chains, partyOf } = yield* Running
  yield* execute(chains.alpha, partyOf(index).key, quoted)
})

const onHub = Effect.gen(function*() {
  const running = yield* Running
  const evm = (slug: string) =>
    ({ slug: ChainSlug.make(slug), family: families["ethereum-vm"], network: "mainnet" }) as const
  const account = Result.getOrThrow(alias(evm("beta"), running.chains.solver.toLowerCase()))
  return yield* running.held(
    toHex(BigInt(account), { size: 20 }),
    Result.getOrThrow(hubTokenId(evm("alpha"), NATIVE))
  )
})

type Account = { readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }
type Swap = { readonly accounts: ReadonlyArray<Account>; readonly data: string }

/** Changes the call of the swap program in the server's answers. */
const onSwap = (change: (swap: Swap) => object): Lie => (path, answer) => {
  if (!path.endsWith("/swap-instructions")) return answer
  const { swapInstruction } = answer as { readonly swapInstruction: Swap }
  return { ...(answer as object), swapInstruction: { ...swapInstruction, ...change(swapInstruction) } }
}

layer(Running.layer, { excludeTestServices: true })("fills on Solana that swap", (it) => {
  it.effect(
    "bring GEM for ether, to the unit of the quote, and are settled by what the recipient got",
    () =>
      Effect.gen(function*() {
        const { solanaSolver, url } = yield* Running
        const recipient = newAddress()
        const before = { hub: yield* onHub, usdc: yield* held(solanaSolver, usdc) }
        const { quoted, shown } = yield* asked(0, recipient, parseEther("0.1"))
        assert.strictEqual(shown.route.destination.router, "jupiter")
        yield* deposited(0, quoted)
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", failReason: "N/A" })
        assert.strictEqual(yield* held(recipient, gem), shown.currencyOut.amount)
        assert.strictEqual(
          before.usdc - (yield* held(solanaSolver, usdc)),
          shown.route.destination.inputCurrency.amount
        )
        yield* settled(url, orderIdOf(quoted), 1)
        assert.strictEqual((yield* onHub) - before.hub, parseEther("0.1"))
      }),
    shows("solana-vm", "transfers to")
  )

  it.effect("bring an exact and an expected output, of a token that takes three pools, also to an open account", () =>
    Effect.gen(function*() {
      const { solanaSolver, url } = yield* Running
      const recipient = newAddress()
      for (
        const [tradeType, changes] of [["EXACT_OUTPUT", { slippageTolerance: "50" }], ["EXPECTED_OUTPUT", {}]] as const
      ) {
        const had = { dust: yield* held(recipient, dust), usdc: yield* held(solanaSolver, usdc) }
        const { quoted, shown } = yield* asked(1, recipient, 5_000_000n, { tradeType, ...changes }, evmUsdc, dust)
        yield* deposited(1, quoted)
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
        const got = (yield* held(recipient, dust)) - had.dust
        assert.strictEqual(had.usdc - (yield* held(solanaSolver, usdc)), shown.route.destination.inputCurrency.amount)
        // All that was set aside for an exact output is swapped, and the recipient's.
        assert.isTrue(
          tradeType === "EXACT_OUTPUT" ? got >= 5_000_000n && got < 5_030_000n : got >= shown.currencyOut.minimumAmount,
          `${got}`
        )
      }
    }))

  it.effect("have fees, rent and swap paid by a sponsor: the recipient gets the value of the whole input", () =>
    Effect.gen(function*() {
      const { chains, partyOf, url } = yield* Running
      const recipient = newAddress()
      const answer = yield* post(
        `${url}/quote`,
        toSolana(partyOf(7).evmUser, recipient, evmUsdc, gem.address, chains.alpha.chainId, parseUnits("20", 6), {
          subsidizeFees: true,
          subsidizeRent: true
        }),
        keyOf(sponsor)
      )
      assert.strictEqual(answer.status, 200, answer.text)
      const quoted = Schema.decodeUnknownSync(QuoteAnswer)(answer.json())
      // GEM is worth two dollars.
      const out = BigInt(quoted.details.currencyOut.amount)
      assert.isTrue(out >= 10n * GEMS, `${out}`)
      yield* deposited(7, quoted)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.isTrue((yield* held(recipient, gem)) >= out)
      const actual = yield* eventually("the sponsor has paid", actualOf(url, quoted), (found) => found !== undefined)
      assert.isAbove(Number(actual?.components["swap"]?.sponsored.amount), 0)
      assert.isAbove(Number(actual?.components["rent"]?.sponsored.amount), 0)
    }))

  it.effect("give SOL for a token of the same chain, when the solver is to do it", () =>
    Effect.gen(function*() {
      const { partyOf, solana, solanaSolver, url } = yield* Running
      const { solanaUser } = partyOf(2)
      const recipient = newAddress()
      const lamports = () => solana.chain.read(solanaSolver, "confirmed")?.lamports ?? 0n
      const before = lamports()
      const quoted = yield* quoteSolana(url, {
        user: solanaUser.address,
        recipient,
        originChainId: SOLANA_CHAIN,
        destinationChainId: SOLANA_CHAIN,
        originCurrency: SOL,
        destinationCurrency: gem.address,
        amount: `${GEMS}`,
        tradeType: "EXACT_INPUT",
        forceSolverExecution: true
      })
      yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.strictEqual(yield* held(recipient, gem), BigInt(quoted.details.currencyOut.amount))
      // The wrapped SOL was spent, and its account closed again.
      assert.isTrue(before - lamports() < GEMS, `${before - lamports()}`)
    }))

  it.effect("go through no more pools than the request allows, in the quote and in the fill", () =>
    Effect.gen(function*() {
      const { partyOf, solana, url } = yield* Running
      const { solanaUser } = partyOf(8)
      // From SOL, which the solver holds, two pools give more than the direct one.
      const outs: Array<bigint> = []
      for (const [mostHops, way] of [[undefined, ["Deep", "Gems"]], [1, ["Shallow"]]] as const) {
        const recipient = newAddress()
        const quoted = yield* quoteSolana(url, {
          user: solanaUser.address,
          recipient,
          originChainId: SOLANA_CHAIN,
          destinationChainId: SOLANA_CHAIN,
          originCurrency: SOL,
          destinationCurrency: gem.address,
          amount: `${GEMS / 2n}`,
          tradeType: "EXACT_INPUT",
          forceSolverExecution: true,
          ...(mostHops === undefined ? {} : { maxRouteLength: mostHops })
        })
        yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
        const ended = yield* endedAnywhere(url, quoted)
        assert.strictEqual(ended.status, "success")
        const out = BigInt(quoted.details.currencyOut.amount)
        assert.strictEqual(yield* held(recipient, gem), out)
        const [fill] = ended.txHashes
        const { wire } = solana.chain.ledger.transaction(fill ?? "") ?? assert.fail("no fill")
        assert.deepStrictEqual(poolsIn(instructionsIn(wire)), way)
        outs.push(out)
      }
      const [free = 0n, direct = 0n] = outs
      assert.isTrue(free > direct && direct > 0n, outs.join())
    }))

  /** Sells GEM until the pools give this much less. */
  const spoil = Effect.fnUntraced(function*(index: number, amount: bigint, from: Mint = usdc, to: Mint = gem) {
    const { partyOf, solana, url } = yield* Running
    const { solanaUser } = partyOf(index)
    const quoted = yield* quoteSolana(url, {
      user: solanaUser.address,
      originChainId: SOLANA_CHAIN,
      destinationChainId: SOLANA_CHAIN,
      originCurrency: from.address,
      destinationCurrency: to.address,
      amount: `${amount}`,
      tradeType: "EXACT_INPUT",
      overridePriceImpact: true
    })
    yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
  })

  it.effect("are not made below the least output: the deposit is refunded, or the recipient gets the unswapped currency", () =>
    Effect.gen(function*() {
      const { solanaSolver, url } = yield* Running
      const [refunded, fallen] = [newAddress(), newAddress()]
      const plain = yield* asked(3, refunded, parseUnits("100", 6), { slippageTolerance: "10" }, evmUsdc)
      const falling = yield* asked(
        4,
        fallen,
        parseUnits("100", 6),
        { slippageTolerance: "10", useFallbacks: true },
        evmUsdc
      )
      assert.strictEqual(falling.shown.fallbackType, "bridged")
      // GEM becomes dearer.
      yield* spoil(9, parseUnits("100000", 6))
      const before = yield* held(solanaSolver, usdc)
      yield* deposited(3, plain.quoted)
      assert.deepInclude(yield* endedAnywhere(url, plain.quoted), { status: "refund", failReason: "SLIPPAGE" })
      assert.strictEqual(yield* held(solanaSolver, usdc), before)
      yield* deposited(4, falling.quoted)
      assert.deepInclude(yield* endedAnywhere(url, falling.quoted), { status: "success" })
      assert.strictEqual(yield* held(refunded, gem), 0n)
      assert.strictEqual(yield* held(fallen, gem), 0n)
      const { amount } = falling.shown.route.destination.inputCurrency
      assert.strictEqual(yield* held(fallen, usdc), amount)
      assert.strictEqual(before - (yield* held(solanaSolver, usdc)), amount)
      yield* settled(url, orderIdOf(plain.quoted), 1)
      yield* settled(url, orderIdOf(falling.quoted), 1)
    }))

  it.effect("use a better price than was quoted for the recipient", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const recipient = newAddress()
      yield* spoil(9, parseUnits("60000", 6))
      // By the pool that is moved, here and in the fill: another one would give the quoted amount still.
      const { quoted, shown } = yield* asked(5, recipient, parseUnits("100", 6), { maxRouteLength: 1 }, evmUsdc)
      yield* spoil(9, 10_000n * GEMS, gem, usdc)
      yield* deposited(5, quoted)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      const got = yield* held(recipient, gem)
      assert.isTrue(got > shown.currencyOut.amount, `${got} of ${shown.currencyOut.amount}`)
      yield* settled(url, orderIdOf(quoted), 1)
    }))

  it.effect("are never made by a route that takes more, gives less, or touches another account of the solver's", () =>
    Effect.gen(function*() {
      const { jupiter, solanaSolver, solanaUsers, url } = yield* Running
      const thief = solanaUsers[8]?.address ?? ""
      const [fees, stolen] = yield* Effect.promise(() =>
        Promise.all([
          tokenAccount(address(solanaSolver), feeToken.address, feeToken.program),
          tokenAccount(address(thief), gem.address, gem.program)
        ])
      )
      const tail = (write: (data: Buffer) => void) =>
        onSwap(({ data }) => {
          const bytes = Buffer.from(data, "base64")
          write(bytes)
          return { data: bytes.toString("base64") }
        })
      const lies: Readonly<Record<string, Lie>> = {
        "more that goes in": tail((data) => data.writeBigUInt64LE(10n ** 12n, data.length - 19)),
        "a lower limit": tail((data) => data.writeUInt16LE(9_999, data.length - 3)),
        "another destination": onSwap(({ accounts }) => ({
          accounts: accounts.map((each, index) => index === accounts.length - 1 ? { ...each, pubkey: stolen } : each)
        })),
        "another account": onSwap(({ accounts }) => ({
          accounts: [...accounts, { pubkey: fees, isSigner: false, isWritable: true }]
        })),
        "another program": onSwap(() => ({ programId: usdc.program }))
      }
      const before = yield* held(solanaSolver, usdc)
      for (const [name, lie] of Object.entries(lies)) {
        const recipient = newAddress()
        const { quoted } = yield* asked(6, recipient, parseUnits("10", 6), {}, evmUsdc)
        yield* jupiter.setLie(lie)
        yield* deposited(6, quoted)
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "refund", failReason: "SLIPPAGE" }, name)
        yield* jupiter.setLie(undefined)
        assert.strictEqual(yield* held(solanaSolver, usdc), before, name)
        assert.strictEqual(yield* held(recipient, gem), 0n, name)
      }
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ jupiter }) => jupiter.setLie(undefined)))))

  it.effect("are checked by their client: another output, minimum or refund is seen in an order that the solver signed", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const recipient = newAddress()
      const { answer, shown, verify } = yield* asked(0, recipient, parseUnits("10", 6), {}, evmUsdc)
      const failed = (change: (order: Order) => Order) =>
        verify(resigned(answer, chains, change)).checks.filter(({ outcome }) => outcome !== "ok").map(({ name }) =>
          name
        )
      assert.deepStrictEqual(failed((order) => ({ ...order, salt: Hex32.make(`0x${"5a".repeat(32)}`) })), [])
      const paying = (changes: Partial<OrderOutputPayment>) =>
        failed((order) => ({
          ...order,
          output: { ...order.output, payments: order.output.payments.map((payment) => ({ ...payment, ...changes })) }
        }))
      assert.deepStrictEqual(paying({ currency: dust.address }), ["output currency"])
      assert.deepStrictEqual(paying({ currency: usdc.address }), ["output currency"])
      assert.deepStrictEqual(paying({ recipient: newAddress() }), ["output recipient"])
      const least = shown.currencyOut.minimumAmount
      for (const minimumAmount of [1n, least - 1n]) {
        assert.include(paying({ minimumAmount }), "minimum output")
        assert.include(paying({ minimumAmount }), "shown output minimum")
      }
      assert.include(paying({ expectedAmount: shown.currencyOut.amount - 1n }), "shown output amount")
      const calls = failed((order) => ({ ...order, output: { ...order.output, calls: [Hex.make("0x00")] } }))
      assert.deepStrictEqual(calls, ["calls"])
      const refunding = (change: (refunds: ReadonlyArray<OrderRefund>) => ReadonlyArray<OrderRefund>) =>
        failed((order) => ({
          ...order,
          inputs: order.inputs.map((input) => ({ ...input, refunds: change(input.refunds) }))
        }))
      const second = (changes: Partial<OrderRefund>) =>
        refunding((refunds) => refunds.map((refund, index) => index === 1 ? { ...refund, ...changes } : refund))
      // A currency that the solver does not hold, and the token of the output itself.
      const bound = "refund on the destination within the client's bound"
      for (const { address: currency } of [dust, gem]) {
        assert.deepStrictEqual(second({ currency }), [
          "refund on the destination currency",
          bound,
          "shown refund on the destination"
        ])
      }
      assert.deepStrictEqual(second({ recipient: newAddress() }), ["refund on the destination recipient"])
      assert.deepStrictEqual(second({ minimumAmount: 0n }), [
        "refund on the destination amount",
        bound,
        "shown refund on the destination minimum"
      ])
      const refunded = shown.refundOnDestination ?? assert.fail("no refund on the destination")
      for (const minimumAmount of [1n, refunded.minimumAmount - 1n]) {
        assert.deepStrictEqual(second({ minimumAmount }), [bound, "shown refund on the destination minimum"])
      }
      assert.include(
        second({ minimumAmount: refunded.amount + 1n }),
        "shown refund on the destination at most what is swapped"
      )
      assert.deepStrictEqual(second({ deadline: 0xffff_ffff }), ["refund on the destination deadline"])
      assert.include(
        refunding(([first, ...rest]) => first === undefined ? [] : [first, first, ...rest]),
        "refund options"
      )
      assert.include(refunding(() => []), "refund options")
    }))

  it.effect("are refused by name where they cannot be made", () =>
    Effect.gen(function*() {
      const { chains, jupiter, partyOf, url } = yield* Running
      const refusal = Effect.fnUntraced(
        function*(changes: object = {}, to: Mint = gem, recipient: string = newAddress()) {
          const answer = yield* post(
            `${url}/quote`,
            toSolana(
              partyOf(0).evmUser,
              recipient,
              NATIVE,
              to.address,
              chains.alpha.chainId,
              parseEther("0.1"),
              changes
            )
          )
          const { errorCode, message } = answer.json() as { errorCode?: string; message: string }
          return { status: answer.status, errorCode, message }
        }
      )
      // A route through many more accounts, none of them in a lookup table.
      const more = Array.from({ length: 30 }, () => ({ pubkey: newAddress(), isSigner: false, isWritable: false }))
      yield* jupiter.setLie(onSwap(({ accounts }) => ({ accounts: [...accounts, ...more] })))
      const large = yield* refusal({}, dust)
      yield* jupiter.setLie(undefined)
      assert.deepInclude(large, { status: 400, errorCode: "SOLANA_TX_TOO_LARGE" })
      assert.deepInclude(yield* refusal({ maxRouteLength: 1 }, dust), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      assert.strictEqual((yield* refusal({ maxRouteLength: 3 }, dust)).status, 200)
      assert.deepInclude(yield* refusal({ excludedSwapSources: ["jupiter"] }), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      assert.deepInclude(yield* refusal({}, gem, usdc.address), { status: 400, errorCode: "INVALID_RECIPIENT" })
      for (const name of ["latePaymentSlippageTolerance", "fixedRate"]) {
        const refused = yield* refusal({ [name]: name === "fixedRate" ? "1" : "100" })
        assert.strictEqual(refused.status, 400)
        assert.include(refused.message, name)
      }
      assert.include((yield* refusal({ useSharedAccounts: true })).message, "useSharedAccounts")
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ jupiter }) => jupiter.setLie(undefined)))))
})

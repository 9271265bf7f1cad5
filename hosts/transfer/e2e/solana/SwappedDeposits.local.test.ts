/**
 * Currencies on Solana that the solver does not take are swapped in the transaction that deposits: real pools, the real
 * programs, a hub and an oracle that settle it. The client is kit's.
 */
import { families } from "../../../../src/domain/families/index.ts"
import { assert, layer } from "@effect/vitest"
import { address, createSolanaRpc, getBase64EncodedWireTransaction } from "@solana/kit"
import { Effect, Result, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { swapDepositOf } from "../../../../src/domain/families/solana/evidence/SwapDepositor.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { holding } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import type { LocalKey } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenAccount, vault } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import type { Lie } from "../../../localnet/nodes/solana/jupiter/JupiterServer.ts"
import { bestRoute } from "../../../localnet/nodes/solana/jupiter/Routes.ts"
import type { Mint } from "../../../localnet/nodes/solana/Mints.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { dust, gem, lookupTable, ore, pools, sharedAccount } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { program as depositor } from "../../../localnet/nodes/solana/SwapDepositorProgram.ts"
import { solanaChainId as SOLANA_CHAIN, solanaSlug } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { instructionsIn, unitLimitsIn } from "../../../localnet/nodes/solana/testing/RouteOf.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { postQuote, reader } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { settlingOver } from "../../testing/SettlingNetwork.ts"
import { settled } from "../../testing/Settlements.ts"
import {
  endedAnywhere,
  fromSolana,
  quoteSolana,
  sendSolana,
  solanaBalances,
  SolanaQuote,
  statusAnywhere,
  stepOf,
  unsignedOf
} from "../../testing/SolanaClient.ts"
import { startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { verifierOf } from "../../testing/Verified.ts"
import { keyOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { randomBytes } from "node:crypto"

const sponsor: TestSponsor = { id: "swapped-deposits", wallet: `0x${"a7".repeat(20)}`, balance: 1_000_000_000n }

class Running extends fixtureOf<Running>()(
  "test/SwappedDepositsRunning",
  startFixture(Effect.flatMap(startSolanaNetwork(), (network) => settlingOver(network, 1, 1)), {
    settings: ({ settling }) => settling,
    sponsors: [sponsor]
  })
) {}

const NATIVE = "0x0000000000000000000000000000000000000000"
const GEMS = 1_000_000_000n
const RENT = 2_039_280n

const newKey = (): LocalKey => keyOfSeed(new Uint8Array(randomBytes(32)))
const freshEvm = () => toHex(new Uint8Array(randomBytes(20)))

const userAt = (index: number) => Effect.map(Running, ({ partyOf }) => partyOf(index).solanaUser)

const held = Effect.fnUntraced(function*(owner: string, mint: Mint) {
  const { solana } = yield* Running
  const account = yield* Effect.promise(() => tokenAccount(address(owner), mint.address, mint.program))
  return holding(solana.chain.read(account, "confirmed"))?.amount ?? 0n
})

const isOpen = Effect.fnUntraced(function*(owner: string, mint: Mint) {
  const { solana } = yield* Running
  const account = yield* Effect.promise(() => tokenAccount(address(owner), mint.address, mint.program))
  return solana.chain.read(account, "confirmed") !== undefined
})

/** The user's own swap within Solana. */
const swapOwn = Effect.fnUntraced(function*(
  user: LocalKey,
  from: string,
  to: string,
  amount: bigint,
  changes: object = {}
) {
  const { solana, url } = yield* Running
  const quoted = yield* quoteSolana(url, {
    user: user.address,
    originChainId: SOLANA_CHAIN,
    destinationChainId: SOLANA_CHAIN,
    originCurrency: from,
    destinationCurrency: to,
    amount: `${amount}`,
    tradeType: "EXACT_INPUT",
    overridePriceImpact: true,
    ...changes
  })
  yield* sendSolana(solana.url, [user], stepOf(quoted))
})

/** A user that holds so much GEM, bought from the pools. */
const holder = Effect.fnUntraced(function*(index: number) {
  const user = yield* userAt(index)
  yield* swapOwn(user, usdc.address, gem.address, 300_000_000n)
  return user
})

const Amount = Schema.Struct({ amount: Schema.BigIntFromString, minimumAmount: Schema.BigIntFromString })
const Detailed = Schema.Struct({
  details: Schema.Struct({
    currencyIn: Amount,
    currencyOut: Amount,
    refundCurrency: Schema.Struct({ currency: Schema.Struct({ symbol: Schema.String }) }),
    slippageTolerance: Schema.Struct({ origin: Schema.Struct({ value: Schema.BigIntFromString }) }),
    route: Schema.Struct({ origin: Schema.Struct({ router: Schema.String, outputCurrency: Amount }) })
  })
})

/** From GEM to ether on beta. */
const asked = (user: string, recipient: string, amount: bigint, changes: object = {}) =>
  Effect.map(
    Running,
    ({ chains }) => fromSolana(user, recipient, gem.address, NATIVE, chains.beta.chainId, amount, changes)
  )

/** A quote, as a careful client checks it: only the route itself is left to simulate. */
const verified = Effect.fnUntraced(function*(request: object, minimumDeposit: bigint = 1n) {
  const { chains, environment, url } = yield* Running
  const body = { ...request, includeProtocolData: true }
  const answer = yield* postQuote(url, body)
  assert.strictEqual(answer.status, 200, answer.text)
  const verify = yield* verifierOf(chains, body, { minimumDeposit }, environment)
  const left = verify(answer.json()).checks.filter(({ outcome }) => outcome !== "ok")
  assert.deepStrictEqual(left.map(({ name, outcome }) => [name, outcome]), [["deposit 0 swap", "unchecked"]])
  return {
    quoted: Schema.decodeUnknownSync(SolanaQuote)(answer.json()),
    shown: Schema.decodeUnknownSync(Detailed)(answer.json()).details,
    verify,
    answer: answer.json()
  }
})

/** The step as a transaction, and the compute units that it would use now. */
const simulated = Effect.fnUntraced(function*(quoted: SolanaQuote) {
  const { solana } = yield* Running
  const wire = getBase64EncodedWireTransaction(yield* unsignedOf(solana.url, stepOf(quoted)))
  const { value } = yield* Effect.promise(() =>
    createSolanaRpc(solana.url).simulateTransaction(wire, { commitment: "confirmed", encoding: "base64" }).send()
  )
  return { wire, units: Number(value.unitsConsumed ?? 0) }
})

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, body)
  const { errorCode, message } = answer.json() as { errorCode?: string; message: string }
  return { status: answer.status, errorCode, message }
})

/** The call of the swap depositor in a step. */
const callOf = (quoted: SolanaQuote) => {
  const call = stepOf(quoted).instructions.find(({ programId }) => programId === String(depositor))
  return swapDepositOf(new Uint8Array(Buffer.from(call?.data ?? "", "hex"))) ?? assert.fail("no call")
}

const etherOf = Effect.fnUntraced(function*(owner: Hex) {
  const { chains } = yield* Running
  return yield* Effect.promise(() => reader(chains.beta).getBalance({ address: owner }))
})

/** The solver's USDC of the Solana chain on the hub. */
const onHub = Effect.gen(function*() {
  const running = yield* Running
  const evm = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const
  const chain = { slug: ChainSlug.make(solanaSlug), family: families["solana-vm"], network: "mainnet" } as const
  const account = Result.getOrThrow(alias(evm, running.chains.solver.toLowerCase()))
  const token = Result.getOrThrow(hubTokenId(chain, usdc.address))
  return yield* running.held(toHex(BigInt(account), { size: 20 }), token)
})

layer(Running.layer, { excludeTestServices: true })("deposits on Solana that are swapped first", (it) => {
  it.effect(
    "bring ether for GEM, to the unit of the quote, and are settled as what was deposited",
    () =>
      Effect.gen(function*() {
        const { solana, url } = yield* Running
        const user = yield* holder(0)
        const recipient = freshEvm()
        const { quoted, shown } = yield* verified(yield* asked(user.address, recipient, 20n * GEMS))
        assert.deepStrictEqual(quoted.steps.map(({ id }) => id), ["deposit"])
        assert.deepStrictEqual(unitLimitsIn(instructionsIn((yield* simulated(quoted)).wire)), [])
        assert.deepStrictEqual([shown.route.origin.router, shown.refundCurrency.currency.symbol], ["jupiter", "USDC"])
        const before = {
          gem: yield* held(user.address, gem),
          usdc: yield* held(user.address, usdc),
          vault: yield* held(vault, usdc),
          hub: yield* onHub
        }
        const { signature } = yield* sendSolana(solana.url, [user], stepOf(quoted))
        assert.deepInclude(yield* endedAnywhere(url, quoted), {
          status: "success",
          failReason: "N/A",
          inTxHashes: [signature]
        })
        const { amount: deposited, minimumAmount: least } = shown.route.origin.outputCurrency
        assert.isAbove(Number(deposited), Number(least))
        assert.strictEqual(before.gem - (yield* held(user.address, gem)), 20n * GEMS)
        assert.strictEqual(yield* held(user.address, usdc), before.usdc)
        assert.strictEqual((yield* held(vault, usdc)) - before.vault, deposited)
        assert.strictEqual(yield* etherOf(recipient), shown.currencyOut.amount)
        yield* settled(url, callOf(quoted).id, 1)
        assert.strictEqual((yield* onHub) - before.hub, deposited)
      }),
    shows("solana-vm", "transfers from")
  )

  it.effect("bring an exact output for at most the tolerance more, and an expected one, and keep what is not needed", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const user = yield* holder(1)
      const wei = 10n ** 16n
      for (const [tradeType, slippageTolerance] of [["EXACT_OUTPUT", "100"], ["EXPECTED_OUTPUT", "100"]] as const) {
        const recipient = freshEvm()
        const { quoted, shown } = yield* verified(
          yield* asked(user.address, recipient, wei, { tradeType, slippageTolerance })
        )
        const had = { gem: yield* held(user.address, gem), vault: yield* held(vault, usdc) }
        yield* sendSolana(solana.url, [user], stepOf(quoted))
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
        assert.strictEqual(yield* etherOf(recipient), wei)
        // The tolerance is set aside in the route's own limit. The market has not moved, so none of it is used.
        assert.strictEqual(had.gem - (yield* held(user.address, gem)), shown.currencyIn.amount)
        assert.strictEqual((yield* held(vault, usdc)) - had.vault, shown.route.origin.outputCurrency.amount)
        if (tradeType === "EXACT_OUTPUT") assert.isAbove(Number(shown.slippageTolerance.origin.value), 0)
      }
    }))

  /** GEM that the pool of GEM takes now for this much USDC, by its own arithmetic. */
  const gemFor = Effect.fnUntraced(function*(amount: bigint) {
    const { solana } = yield* Running
    const reserves = new Map(
      pools.flatMap(({ sides }) =>
        sides.map(({ vault: of }) => [of, holding(solana.chain.read(of, "confirmed"))?.amount ?? 0n] as const)
      )
    )
    const route = bestRoute(pools, reserves, {
      inputMint: gem.address,
      outputMint: usdc.address,
      amount,
      exact: "out",
      mostHops: 1,
      allows: () => true
    })
    return route?.[0]?.amountIn ?? assert.fail("no pool")
  })

  it.effect("take for an exact output what the moved market asks, and leave the rest of the tolerance to the user", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const [user, mover] = [yield* holder(2), yield* userAt(9)]
      const wei = 10n ** 16n
      yield* swapOwn(mover, usdc.address, gem.address, 60_000_000_000n)
      const moves = {
        cheaper: swapOwn(mover, gem.address, usdc.address, 15_000n * GEMS),
        dearer: swapOwn(mover, usdc.address, gem.address, 30_000_000_000n)
      }
      for (const [name, move] of Object.entries(moves)) {
        const recipient = freshEvm()
        const { quoted, shown } = yield* verified(
          yield* asked(user.address, recipient, wei, {
            tradeType: "EXACT_OUTPUT",
            slippageTolerance: "300",
            maxRouteLength: 1
          })
        )
        const [quotedIn, deposited] = [shown.currencyIn.amount, shown.route.origin.outputCurrency.amount]
        assert.strictEqual(yield* gemFor(deposited), quotedIn)
        yield* move
        const taken = yield* gemFor(deposited)
        const most = quotedIn + shown.slippageTolerance.origin.value
        assert.isTrue(name === "cheaper" ? quotedIn < taken && taken < most : taken < quotedIn, `${name}: ${taken}`)
        const had = {
          gem: yield* held(user.address, gem),
          usdc: yield* held(user.address, usdc),
          vault: yield* held(vault, usdc)
        }
        yield* sendSolana(solana.url, [user], stepOf(quoted))
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
        assert.strictEqual(had.gem - (yield* held(user.address, gem)), taken, name)
        assert.strictEqual(yield* held(user.address, usdc), had.usdc, name)
        assert.strictEqual((yield* held(vault, usdc)) - had.vault, deposited, name)
        assert.strictEqual(yield* etherOf(recipient), wei, name)
      }
    }))

  it.effect("that give less, but at least the minimum, or more are filled at the price of all that they gave", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const [user, mover] = [yield* holder(2), yield* userAt(9)]
      yield* swapOwn(mover, usdc.address, gem.address, 60_000_000_000n)
      const moves = {
        less: swapOwn(mover, gem.address, usdc.address, 15_000n * GEMS),
        more: swapOwn(mover, usdc.address, gem.address, 30_000_000_000n)
      }
      for (const [name, move] of Object.entries(moves)) {
        const recipient = freshEvm()
        const { quoted, shown } = yield* verified(
          yield* asked(user.address, recipient, 20n * GEMS, { slippageTolerance: "300" })
        )
        yield* move
        const had = { usdc: yield* held(user.address, usdc), vault: yield* held(vault, usdc) }
        yield* sendSolana(solana.url, [user], stepOf(quoted))
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
        const [deposited, got] = [(yield* held(vault, usdc)) - had.vault, yield* etherOf(recipient)]
        const { currencyOut, route: { origin: { outputCurrency: { amount, minimumAmount } } } } = shown
        if (name === "less") {
          assert.isTrue(minimumAmount < deposited && deposited < amount, `${deposited}`)
          assert.isTrue(currencyOut.minimumAmount <= got && got < currencyOut.amount, `${got}`)
        } else {
          assert.isTrue(deposited > amount && got > currencyOut.amount, `${deposited} ${got}`)
        }
        // Nothing of the swap's output stays behind.
        assert.strictEqual(yield* held(user.address, usdc), had.usdc)
        yield* settled(url, callOf(quoted).id, 1)
      }
    }))

  it.effect("move nothing where the swap gives less than the minimum, and the request waits", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const [user, mover] = [yield* holder(3), yield* userAt(9)]
      yield* swapOwn(mover, usdc.address, gem.address, 60_000_000_000n)
      const strict = yield* verified(yield* asked(user.address, freshEvm(), 20n * GEMS, { slippageTolerance: "10" }))
      const loose = yield* verified(yield* asked(user.address, freshEvm(), 20n * GEMS, { slippageTolerance: "5000" }))
      const holdings = Effect.all([held(user.address, gem), held(user.address, usdc), held(vault, usdc)])
      const before = yield* holdings
      // The program's own minimum, which is one unit more here than the pools give: the route alone would pass.
      const data = stepOf(loose.quoted)
      const raised = data.instructions.map((each) => {
        const bytes = Buffer.from(each.data, "hex")
        if (each.programId === String(depositor)) {
          bytes.writeBigUInt64LE(loose.shown.route.origin.outputCurrency.amount + 1n, 8)
        }
        return { ...each, data: bytes.toString("hex") }
      })
      assert.isTrue(
        (yield* Effect.exit(sendSolana(solana.url, [user], { ...data, instructions: raised })))._tag === "Failure"
      )
      yield* swapOwn(mover, gem.address, usdc.address, 15_000n * GEMS)
      assert.isTrue((yield* Effect.exit(sendSolana(solana.url, [user], stepOf(strict.quoted))))._tag === "Failure")
      assert.deepStrictEqual(yield* holdings, before)
      assert.strictEqual((yield* statusAnywhere(url, strict.quoted)).status, "waiting")
    }))

  it.effect("are refunded in what was deposited, to refundTo", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const user = yield* holder(4)
      const refundTo = (yield* userAt(8)).address
      const { quoted, shown } = yield* verified(
        yield* asked(user.address, freshEvm(), 20n * GEMS, {
          referrer: "force-refund",
          refundTo,
          refundOnOrigin: true
        })
      )
      const had = yield* held(refundTo, usdc)
      yield* sendSolana(solana.url, [user], stepOf(quoted))
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "refund" })
      const back = (yield* held(refundTo, usdc)) - had
      const { amount } = shown.route.origin.outputCurrency
      assert.isTrue(amount - 10_000n < back && back < amount, `${back} of ${amount}`)
      yield* settled(url, callOf(quoted).id, 1)
    }))

  it.effect("open the user's own accounts for tokens in the middle, or go through shared ones, as the request says", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const user = yield* userAt(8)
      yield* swapOwn(user, usdc.address, dust.address, 30_000_000n, { useSharedAccounts: true })
      const passed = [gem, ore]
      const opened = Effect.forEach(passed, (mint) => isOpen(user.address, mint))
      for (const useSharedAccounts of [true, false]) {
        assert.deepStrictEqual(yield* opened, [false, false])
        const recipient = freshEvm()
        const { quoted } = yield* verified(
          fromSolana(user.address, recipient, dust.address, NATIVE, chains.beta.chainId, 10_000_000n, {
            useSharedAccounts
          })
        )
        const gas = 5_000n + (useSharedAccounts ? 0n : 2n * RENT) + ((yield* isOpen(vault, usdc)) ? 0n : RENT)
        assert.strictEqual(quoted.fees["gas"]?.amount, `${gas}`)
        const keys = stepOf(quoted).instructions.flatMap((each) => each.keys.map(({ pubkey }) => pubkey))
        for (const mint of passed) assert.strictEqual(keys.includes(sharedAccount(mint)), useSharedAccounts)
        const before = (yield* solanaBalances(solana.url, user.address)).lamports
        yield* sendSolana(solana.url, [user], stepOf(quoted))
        assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
        assert.strictEqual(before - (yield* solanaBalances(solana.url, user.address)).lamports, gas)
        assert.isTrue((yield* etherOf(recipient)) > 0n)
      }
      assert.deepStrictEqual(yield* opened, [true, true])
    }))

  it.effect("may be paid for by another account, which also opens what the route needs; within a limit of units", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const [giver, payer, user] = [yield* holder(5), yield* userAt(7), newKey()]
      // The user holds GEM and no lamport, and has no account of USDC.
      const gift = yield* quoteSolana(url, {
        user: giver.address,
        recipient: user.address,
        originChainId: SOLANA_CHAIN,
        destinationChainId: SOLANA_CHAIN,
        originCurrency: gem.address,
        destinationCurrency: gem.address,
        amount: `${30n * GEMS}`,
        tradeType: "EXACT_INPUT"
      })
      yield* sendSolana(solana.url, [giver], stepOf(gift))
      const recipient = freshEvm()
      const { quoted, shown } = yield* verified(
        yield* asked(user.address, recipient, 30n * GEMS, {
          depositFeePayer: payer.address,
          includeComputeUnitLimit: true
        })
      )
      assert.strictEqual(quoted.fees["gas"]?.amount, "0")
      const { units, wire } = yield* simulated(quoted)
      assert.isAbove(units, 10_000)
      assert.deepStrictEqual(unitLimitsIn(instructionsIn(wire)), [Math.ceil(units * 1.2) + 20_000])
      assert.deepStrictEqual(stepOf(quoted).addressLookupTableAddresses, [lookupTable])
      const before = (yield* solanaBalances(solana.url, payer.address)).lamports
      const { fee } = yield* sendSolana(solana.url, [user, payer], stepOf(quoted))
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.strictEqual(before - (yield* solanaBalances(solana.url, payer.address)).lamports, fee + RENT)
      assert.strictEqual((yield* solanaBalances(solana.url, user.address)).lamports, 0n)
      assert.strictEqual(yield* etherOf(recipient), shown.currencyOut.amount)
      assert.include(
        (yield* refusalOf(yield* asked(user.address, recipient, GEMS, { depositFeePayer: newKey().address }))).message,
        "depositFeePayer"
      )
    }))

  it.effect("have their fees paid by a sponsor, but never the swap", () =>
    Effect.gen(function*() {
      const { chains, environment, solana, url } = yield* Running
      const user = yield* holder(6)
      const recipient = freshEvm()
      const body = yield* asked(user.address, recipient, 20n * GEMS, { subsidizeFees: true, includeProtocolData: true })
      const answer = yield* postQuote(url, body, keyOf(sponsor))
      const quoted = Schema.decodeUnknownSync(SolanaQuote)(answer.json())
      const { details } = Schema.decodeUnknownSync(Detailed)(answer.json())
      const verify = yield* verifierOf(chains, body, { minimumDeposit: 1n }, environment)
      assert.deepStrictEqual(verify(answer.json()).checks.filter(({ outcome }) => outcome === "failed"), [])
      // All of the swap's output is delivered: one USDC is 0.0004 ether here.
      const deposited = details.route.origin.outputCurrency.amount
      assert.strictEqual(details.currencyOut.amount, deposited * 400_000_000n)
      yield* sendSolana(solana.url, [user], stepOf(quoted))
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success" })
      assert.strictEqual(yield* etherOf(recipient), details.currencyOut.amount)
      const actual = yield* eventually("the sponsor has paid", actualOf(url, quoted), (found) => found !== undefined)
      assert.isAbove(Number(actual?.sponsorPayment.amount), 0)
    }))

  it.effect("are refused by name where they do not fit into a transaction, or another parameter forbids them", () =>
    Effect.gen(function*() {
      const { chains, jupiter } = yield* Running
      const [user, payer] = [(yield* userAt(0)).address, (yield* userAt(7)).address]
      const body = (changes: object = {}, currency: string = dust.address, amount: bigint = 10_000_000n) =>
        fromSolana(user, freshEvm(), currency, NATIVE, chains.beta.chainId, amount, changes)
      // Three hops that somebody else pays for fit with the route's lookup table, and not without.
      const paidFor = body({ depositFeePayer: payer, includeComputeUnitLimit: true })
      yield* verified(paidFor)
      yield* jupiter.setLie((path, answer) =>
        path.endsWith("/swap-instructions") ? { ...(answer as object), addressLookupTableAddresses: [] } : answer
      )
      const large = yield* refusalOf(paidFor)
      yield* jupiter.setLie(undefined)
      assert.deepInclude(large, { status: 400, errorCode: "SOLANA_TX_TOO_LARGE" })
      assert.include(large.message, "maxRouteLength")
      assert.deepInclude(yield* refusalOf(body({ maxRouteLength: 1 })), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      assert.deepInclude(yield* refusalOf(body({ disableOriginSwaps: true })), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      for (const changes of [{ useDepositAddress: true, refundTo: user }, { latePaymentSlippageTolerance: "100" }]) {
        const refused = yield* refusalOf(body(changes))
        assert.deepInclude(refused, { status: 400, errorCode: "INVALID_REQUEST" })
        assert.include(refused.message, Object.keys(changes)[0] ?? "")
      }
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ jupiter }) => jupiter.setLie(undefined)))))

  it.effect("are not passed on from a server whose route would take more, or touch other accounts", () =>
    Effect.gen(function*() {
      const { jupiter } = yield* Running
      const user = yield* holder(0)
      const other = yield* Effect.promise(() => tokenAccount(user.address, dust.address, dust.program))
      type Swap = { readonly accounts: ReadonlyArray<object>; readonly data: string }
      const changed = (change: (swap: Swap) => object): Lie => (path, answer) => {
        if (!path.endsWith("/swap-instructions")) return answer
        const { swapInstruction } = answer as { readonly swapInstruction: Swap }
        return { ...(answer as object), swapInstruction: { ...swapInstruction, ...change(swapInstruction) } }
      }
      const lies: ReadonlyArray<Lie> = [
        changed(({ data }) => {
          const bytes = Buffer.from(data, "base64")
          bytes.writeBigUInt64LE(21n * GEMS, bytes.length - 19)
          return { data: bytes.toString("base64") }
        }),
        changed(({ accounts }) => ({
          accounts: [...accounts, { pubkey: other, isSigner: false, isWritable: true }]
        })),
        changed(() => ({ programId: usdc.program }))
      ]
      yield* swapOwn(user, usdc.address, dust.address, 1_000_000n)
      for (const lie of lies) {
        yield* jupiter.setLie(lie)
        assert.deepInclude(yield* refusalOf(yield* asked(user.address, freshEvm(), 20n * GEMS)), {
          status: 400,
          errorCode: "NO_SWAP_ROUTES_FOUND"
        })
        yield* jupiter.setLie(undefined)
      }
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ jupiter }) => jupiter.setLie(undefined)))))

  it.effect("are checked by their client: another order, minimum, vault, program, amount or signer is seen", () =>
    Effect.gen(function*() {
      const { answer, verify } = yield* verified(yield* asked((yield* holder(1)).address, freshEvm(), 20n * GEMS))
      type Wired = SolanaQuote["steps"][number]["items"][number]["data"]["instructions"][number]
      const at = (index: number) => (change: (key: Wired["keys"][number]) => object) => (each: Wired) => ({
        ...each,
        keys: each.keys.map((key, place) => place === index ? { ...key, ...change(key) } : key)
      })
      const bytes = (write: (data: Buffer) => void) => (each: Wired) => {
        const data = Buffer.from(each.data, "hex")
        write(data)
        return { ...each, data: data.toString("hex") }
      }
      const stranger = newKey().address
      const instead = () => ({ pubkey: stranger })
      const changes: Readonly<Record<string, (each: Wired) => object>> = {
        "another program": (each) => ({ ...each, programId: stranger }),
        "another sender": at(1)(instead),
        "another depositor": at(2)(instead),
        "another vault": at(3)(instead),
        "another vault's account": at(6)(instead),
        "another depository": at(10)(instead),
        "another swap program": at(11)(instead),
        "another account that pays": at(15)(instead),
        "another signer": at(9)(() => ({ isSigner: true, pubkey: stranger })),
        "a lower minimum": bytes((data) => data.writeBigUInt64LE(1n, 8)),
        "another order": bytes((data) => data.writeUInt8((data[20] ?? 0) ^ 1, 20)),
        "more that goes in": bytes((data) => data.writeBigUInt64LE(21n * GEMS, data.length - 19)),
        "another name": bytes((data) => data.writeUInt8((data[0] ?? 0) ^ 1, 0))
      }
      for (const [name, change] of Object.entries(changes)) {
        const quote = structuredClone(answer) as SolanaQuote
        const tampered = {
          ...quote,
          steps: quote.steps.map((step) => ({
            ...step,
            items: step.items.map((item) => ({
              ...item,
              data: {
                ...item.data,
                instructions: item.data.instructions.map((each) =>
                  each.programId === String(depositor) ? change(each) : each
                )
              }
            }))
          }))
        }
        assert.isTrue(verify(tampered).checks.some(({ outcome }) => outcome === "failed"), name)
      }
    }))
})

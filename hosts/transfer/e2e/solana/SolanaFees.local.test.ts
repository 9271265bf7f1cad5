/**
 * Who pays what in a transfer with Solana: rent as it was really paid, Solana's minimum balance, app fees on either
 * side.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createNoopSigner } from "@solana/kit"
import type { Address } from "@solana/kit"
import { getCloseAccountInstruction, getCreateAssociatedTokenIdempotentInstruction } from "@solana-program/token"
import { randomBytes } from "node:crypto"
import { parseEther, parseUnits } from "viem"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { localTransaction } from "../../../localnet/nodes/solana/node/Faucet.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import type { LocalKey } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { holding } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { feeToken, usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { askPayout, balanceOf, payoutEnded } from "../app-balance/testing/SignedPayouts.ts"
import { execute, postQuote, quote } from "../../testing/Client.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { stepOf, endedAnywhere, fromSolana, quoteSolana, sendSolana, toSolana } from "../../testing/SolanaClient.ts"
import { keyOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf, SponsoredQuote } from "../../testing/Sponsored.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { held, USDC } from "../../testing/Tokens.ts"

const sponsor: TestSponsor = { id: "sponsor", wallet: `0x${"a1".repeat(20)}`, balance: 1_000_000_000n }

class Running
  extends fixtureOf<Running>()("test/SolanaFeesRunning", startFixture(startSolanaNetwork(), { sponsors: [sponsor] }))
{}

const NATIVE = "0x0000000000000000000000000000000000000000"
const evmUsdc = addressOf("TestUSDC")
const LAMPORTS = 1_000_000_000n
const HUNDRED = parseUnits("100", 6)

const newKey = () => keyOfSeed(new Uint8Array(randomBytes(32)))
const newAddress = () => newKey().address

const userOf = (index: number) => Effect.map(Running, ({ partyOf }) => partyOf(index))

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, body)
  const { errorCode, errorData, message } = Schema.decodeUnknownSync(Schema.Struct({
    message: Schema.String,
    errorCode: Schema.optionalKey(Schema.String),
    errorData: Schema.optionalKey(Schema.Unknown)
  }))(answer.json())
  return { status: answer.status, errorCode, message, errorData }
})

/** What an account of USDC holds. Undefined when it is not open. */
const tokensOf = Effect.fnUntraced(function*(owner: Address) {
  const { solana: { chain } } = yield* Running
  const ata = yield* Effect.promise(() => tokenAccount(owner, usdc.address, usdc.program))
  return holding(chain.read(ata, "confirmed"))?.amount
})

/** A third party opens the account of another owner. */
const openAccount = Effect.fnUntraced(function*(owner: Address, index: number) {
  const { solana: { chain } } = yield* Running
  const { solanaUser } = yield* userOf(index)
  const ata = yield* Effect.promise(() => tokenAccount(owner, usdc.address, usdc.program))
  const open = getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(solanaUser.address),
    ata,
    owner,
    mint: usdc.address,
    tokenProgram: usdc.program
  })
  assert.strictEqual(chain.submit(localTransaction(chain, [solanaUser], [open]))._tag, "Executed")
  yield* eventually("it is open for all", tokensOf(owner), (held) => held !== undefined)
})

/** The owner closes its empty account, and gets its rent. A third party pays the fee. */
const closeAccount = Effect.fnUntraced(function*(owner: LocalKey, index: number) {
  const { solana: { chain } } = yield* Running
  const { solanaUser } = yield* userOf(index)
  const ata = yield* Effect.promise(() => tokenAccount(owner.address, usdc.address, usdc.program))
  const close = getCloseAccountInstruction({
    account: ata,
    destination: solanaUser.address,
    owner: createNoopSigner(owner.address)
  })
  const outcome = chain.submit(localTransaction(chain, [solanaUser, owner], [close]))
  assert.isTrue(outcome._tag === "Executed" && outcome.record.meta.err === null)
  yield* eventually("it is closed for all", tokensOf(owner.address), (held) => held === undefined)
})

/** The rent of a token account, in USDC at the local price of SOL. */
const RENT = 305_892n

layer(Running.layer, { excludeTestServices: true })("the fees of transfers with Solana", (it) => {
  it.effect("charge the sponsor for the rent that was paid, and for none when someone else opened the account", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const spend = Effect.fnUntraced(
        function*(
          index: number,
          meanwhile: (recipient: ReturnType<typeof newAddress>) => Effect.Effect<void, never, Running>
        ) {
          const { evmUser, key } = yield* userOf(index)
          const recipient = newAddress()
          const body = toSolana(evmUser, recipient, evmUsdc, usdc.address, chains.alpha.chainId, HUNDRED, {
            subsidizeFees: true,
            subsidizeRent: true
          })
          const answer = yield* postQuote(url, body, keyOf(sponsor))
          const quoted = yield* Effect.orDie(Schema.decodeUnknownEffect(SponsoredQuote)(answer.json()))
          yield* meanwhile(recipient)
          yield* execute(chains.alpha, key, quoted)
          assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
          const actual = yield* eventually(
            "it is known what the sponsor paid",
            actualOf(url, quoted),
            (found) => found !== undefined
          )
          const { components } = quoted.feeSponsorship.quoted
          return {
            quoted: components["rent"]?.sponsored.amount,
            rent: actual?.components["rent"],
            paid: BigInt(actual?.sponsorPayment.amount ?? -1),
            total: BigInt(actual?.sponsoredTotal.amount ?? -1)
          }
        }
      )
      const opened = yield* spend(0, () => Effect.void)
      assert.strictEqual(opened.quoted, "305892")
      assert.deepStrictEqual([opened.rent?.total.amount, opened.rent?.sponsored.amount], ["305892", "305892"])
      const open = yield* spend(1, (recipient) => openAccount(recipient, 2))
      assert.strictEqual(open.quoted, "305892")
      assert.deepStrictEqual([open.rent?.selected, open.rent?.total.amount, open.rent?.sponsored.amount], [
        true,
        "0",
        "0"
      ])
      assert.strictEqual(opened.total - open.total, 305_892n)
      assert.strictEqual(opened.paid - open.paid, 305_892n)
    }))

  it.effect("include the rent of an account that its owner closed after the quote: of a fill, or its deposit is refunded", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const paid = Effect.fnUntraced(function*(index: number, changes: object) {
        const { evmUser, key } = yield* userOf(index)
        const owner = newKey()
        yield* openAccount(owner.address, index)
        const body = toSolana(evmUser, owner.address, evmUsdc, usdc.address, chains.alpha.chainId, HUNDRED, changes)
        const quoted = yield* quote(url, body)
        yield* closeAccount(owner, index)
        yield* execute(chains.alpha, key, quoted)
        const { failReason, status } = yield* endedAnywhere(url, quoted)
        return { status, failReason, got: yield* tokensOf(owner.address), quoted: quoted.details.currencyOut.amount }
      })
      const exactInput = yield* paid(8, {})
      assert.strictEqual(exactInput.status, "success")
      assert.strictEqual(exactInput.got, BigInt(exactInput.quoted) - RENT)
      const exactOutput = yield* paid(9, { tradeType: "EXACT_OUTPUT" })
      assert.deepInclude(exactOutput, { status: "refund", failReason: "SLIPPAGE", got: undefined })
    }))

  it.effect("include the rent of an account that is closed before its refund, which the order allows for", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, solanaUser } = yield* userOf(8)
      const refunded = Effect.fnUntraced(function*(closes: boolean) {
        const refundTo = newKey()
        yield* openAccount(refundTo.address, 8)
        const quoted = yield* quoteSolana(
          url,
          fromSolana(solanaUser.address, evmUser, usdc.address, evmUsdc, chains.alpha.chainId, HUNDRED, {
            refundTo: refundTo.address,
            referrer: "force-refund"
          })
        )
        if (closes) yield* closeAccount(refundTo, 8)
        yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
        assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "refund")
        return (yield* tokensOf(refundTo.address)) ?? 0n
      })
      const [open, closed] = [yield* refunded(false), yield* refunded(true)]
      assert.strictEqual(open - closed, RENT)
    }))

  it.effect("have a minimum: an amount below Solana's account minimum is refused in the quote, and no refund of it is made", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, solanaUser } = yield* userOf(3)
      // A lamport below the minimum balance. A wallet that exists may receive that little.
      const least = { tradeType: "EXACT_OUTPUT" }
      const of = (recipient: string, lamports: bigint) =>
        toSolana(evmUser, recipient, NATIVE, SOL, chains.alpha.chainId, lamports, least)
      const low = yield* refusalOf(of(newAddress(), 890_879n))
      assert.deepInclude(low, { status: 400, errorCode: "AMOUNT_TOO_LOW" })
      assert.include(low.message, "no payment to it below 890880")
      for (const [recipient, lamports] of [[newAddress(), 890_880n], [solanaUser.address, 890_879n]] as const) {
        assert.strictEqual((yield* quote(url, of(recipient, lamports))).details.currencyOut.amount, `${lamports}`)
      }
      const small = yield* quoteSolana(
        url,
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, 890_000n, {
          refundTo: newAddress(),
          referrer: "force-refund"
        })
      )
      yield* sendSolana(solana.url, [solanaUser], stepOf(small))
      assert.deepInclude(yield* endedAnywhere(url, small), {
        status: "failure",
        failReason: "AMOUNT_TOO_LOW_TO_REFUND"
      })
    }))

  it.effect("cannot be quoted for a token that takes a fee on each transfer: it is refused for that, not for its recipient", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const { evmUser, solanaUser } = yield* userOf(3)
      const out = yield* refusalOf(
        toSolana(evmUser, solanaUser.address, evmUsdc, feeToken.address, chains.alpha.chainId, HUNDRED)
      )
      assert.deepInclude(out, { status: 400, errorCode: "UNSUPPORTED_CURRENCY" })
      assert.include(out.message, "destinationCurrency: FEE on Local Solana keeps a fee of each transfer")
      const into = yield* refusalOf(
        fromSolana(solanaUser.address, evmUser, feeToken.address, evmUsdc, chains.alpha.chainId, HUNDRED)
      )
      assert.deepInclude(into, { status: 400, errorCode: "UNSUPPORTED_CURRENCY" })
      assert.include(into.message, "originCurrency: FEE")
    }))

  it.effect("include app fees in the currency of the deposit, which their wallet claims as on EVM; their recipients are EVM accounts", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, solanaUser } = yield* userOf(4)
      const { evmUser: wallet, key } = yield* userOf(5)
      const appFees = [{ recipient: wallet, fee: "100" }]
      const sent = Effect.fnUntraced(function*(currency: string, to: string, amount: bigint) {
        const quoted = yield* quoteSolana(
          url,
          fromSolana(solanaUser.address, evmUser, currency, to, chains.beta.chainId, amount, { appFees })
        )
        yield* sendSolana(solana.url, [solanaUser], stepOf(quoted))
        assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      })
      yield* sent(usdc.address, evmUsdc, HUNDRED)
      yield* sent(SOL, NATIVE, LAMPORTS)
      const { evmUser: payer, key: payerKey } = yield* userOf(6)
      const there = yield* quote(
        url,
        toSolana(payer, solanaUser.address, NATIVE, SOL, chains.alpha.chainId, parseEther("1"), { appFees })
      )
      yield* execute(chains.alpha, payerKey, there)
      assert.strictEqual((yield* endedAnywhere(url, there)).status, "success")
      const { claimable } = yield* eventually(
        "all are booked",
        balanceOf(url, wallet),
        (balance) => balance.claimable.length === 3
      )
      assert.sameDeepMembers(
        claimable.map(({ amount, currency: { address, chainId } }) => [chainId, address, amount]),
        [
          [SOLANA_CHAIN, usdc.address, "1000000"],
          [SOLANA_CHAIN, SOL, `${LAMPORTS / 100n}`],
          [chains.alpha.chainId, NATIVE, `${parseEther("0.01")}`]
        ]
      )
      // Fees in a Solana currency are paid in the token of the settlement chain: one USDC, and one cent of a SOL at 150
      // dollars.
      const { evmUser: recipient } = yield* userOf(7)
      const before = yield* held(chains.beta, USDC, recipient)
      const claim = Effect.fnUntraced(function*(currency: string, amount: bigint, nonce: bigint) {
        return yield* payoutEnded(
          yield* askPayout(url, chains, key, {
            kind: "claim",
            recipient,
            chainId: SOLANA_CHAIN,
            currency,
            amount,
            nonce
          }),
          url
        )
      })
      const paid = [yield* claim(usdc.address, 1_000_000n, 1n), yield* claim(SOL, LAMPORTS / 100n, 2n)]
      assert.deepStrictEqual(paid.map(({ status, taken, paid: { amount } }) => [status, taken.currency, amount]), [[
        "success",
        usdc.address,
        "1000000"
      ], ["success", SOL, "1500000"]])
      assert.strictEqual((yield* held(chains.beta, USDC, recipient)) - before, 2_500_000n)
      const foreign = yield* refusalOf(
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, LAMPORTS, {
          appFees: [{ recipient: solanaUser.address, fee: "100" }]
        })
      )
      assert.strictEqual(foreign.status, 400)
      assert.include(foreign.message, "appFees")
    }))
})

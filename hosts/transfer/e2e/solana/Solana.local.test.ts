import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createSolanaRpc, getBase64EncodedWireTransaction } from "@solana/kit"
import { erc20Abi, parseEther, parseUnits } from "viem"
import { verifyWebhook } from "../../../../src/domain/webhook/VerifyWebhook.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { execute, post, postQuote, quote, reader } from "../../testing/Client.ts"
import { alarms, eventually as until } from "../../testing/Misbehaving.ts"
import { eventually, startReceiver } from "../../testing/Receiver.ts"
import {
  endedAnywhere,
  fromSolana,
  quoteSolana,
  sendSigned,
  sendSolana,
  signedBy,
  solanaBalances,
  stepOf,
  toSolana,
  unsignedOf
} from "../../testing/SolanaClient.ts"
import { keyOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { SponsoredQuote } from "../../testing/Sponsored.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { randomBytes } from "node:crypto"

const sponsor: TestSponsor = { id: "sponsor", wallet: `0x${"a1".repeat(20)}`, balance: 1_000_000_000n }

class Running
  extends fixtureOf<Running>()("test/SolanaRunning", startFixture(startSolanaNetwork(), { sponsors: [sponsor] }))
{}

const NATIVE = "0x0000000000000000000000000000000000000000"
const evmUsdc = addressOf("TestUSDC")
const LAMPORTS = 1_000_000_000n
const RENT = 2_039_280n

const newSolanaKey = () => keyOfSeed(new Uint8Array(randomBytes(32)))

const parties = (index: number) => Effect.map(Running, ({ partyOf }) => partyOf(index))

const refusalOf = Effect.fnUntraced(function*(body: object, headers: Readonly<Record<string, string>> = {}) {
  const { url } = yield* Running
  const answer = yield* postQuote(url, body, headers)
  const { errorCode, message } = answer.json() as { errorCode?: string; message: string }
  return { status: answer.status, errorCode, message }
})

layer(Running.layer, { excludeTestServices: true })("transfers between EVM and Solana", (it) => {
  it.effect(
    "deliver ether for SOL and SOL for ether, to the unit of the quote, each naming the order",
    () =>
      Effect.gen(function*() {
        const { chains, solana, url } = yield* Running
        const { evmUser, key, solanaUser } = yield* parties(0)
        const recipient = newSolanaKey().address
        const there = yield* quote(
          url,
          toSolana(evmUser, recipient, NATIVE, SOL, chains.alpha.chainId, parseEther("0.1"))
        )
        yield* execute(chains.alpha, key, there)
        const filled = yield* endedAnywhere(url, there)
        assert.deepInclude(filled, { status: "success", failReason: "N/A" })
        const { lamports } = yield* solanaBalances(solana.url, recipient)
        assert.strictEqual(lamports, BigInt(there.details.currencyOut.amount))
        const rpc = createSolanaRpc(solana.url)
        const memo = yield* Effect.promise(async () => (await rpc.getSignaturesForAddress(recipient).send())[0]?.memo)
        assert.strictEqual(memo, `[66] 0x${there.steps[0]?.items[0]?.data.data.slice(-64)}`)

        const before = yield* solanaBalances(solana.url, solanaUser.address)
        const evmRecipient = (yield* parties(9)).evmUser
        const had = yield* Effect.promise(() => reader(chains.beta).getBalance({ address: evmRecipient }))
        const back = yield* quoteSolana(
          url,
          fromSolana(solanaUser.address, evmRecipient, SOL, NATIVE, chains.beta.chainId, 5n * LAMPORTS)
        )
        const [step] = back.steps
        assert.deepStrictEqual(back.steps.map(({ id, kind }) => [id, kind]), [["deposit", "transaction"]])
        const data = step?.items[0]?.data
        if (data === undefined) return yield* Effect.die(new Error("no deposit"))
        assert.deepStrictEqual([data.addressLookupTableAddresses, data.feePayer, data.instructions.length], [
          [],
          solanaUser.address,
          1
        ])
        const sent = yield* sendSolana(solana.url, [solanaUser], data)
        const ended = yield* endedAnywhere(url, back)
        assert.deepInclude(ended, { status: "success", inTxHashes: [sent.signature] })
        const after = yield* solanaBalances(solana.url, solanaUser.address)
        assert.strictEqual(before.lamports - after.lamports - sent.fee, 5n * LAMPORTS)
        assert.strictEqual(BigInt(back.fees["gas"]?.amount ?? -1), sent.fee)
        const has = yield* Effect.promise(() => reader(chains.beta).getBalance({ address: evmRecipient }))
        assert.strictEqual(has - had, BigInt(back.details.currencyOut.amount))
      }),
    shows("solana-vm", "transfers from", "transfers to")
  )

  it.effect("are made of deposits in transactions of version 1, too (SOLANA-23)", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, solanaUser } = yield* parties(8)
      const quoted = yield* quoteSolana(
        url,
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, 2n * LAMPORTS)
      )
      const had = yield* Effect.promise(() => reader(chains.beta).getBalance({ address: evmUser }))
      const transaction = yield* signedBy(solanaUser, yield* unsignedOf(solana.url, stepOf(quoted), 1))
      const { signature } = yield* sendSigned(solana.url, transaction)
      assert.strictEqual(solana.chain.ledger.transaction(signature)?.version, 1)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [signature] })
      const has = yield* Effect.promise(() => reader(chains.beta).getBalance({ address: evmUser }))
      assert.strictEqual(has - had, BigInt(quoted.details.currencyOut.amount))
    }))

  it.effect("are made of deposits that scans passed over, once a release that reads them indexes them, after an alarm", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, solanaUser } = yield* parties(8)
      const quoted = yield* quoteSolana(
        url,
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, LAMPORTS)
      )
      const { ledger } = solana.chain
      const honest = ledger.transaction.bind(ledger)
      const since = ledger.last.slot
      // Every transaction from now on is of a version that no release knows.
      ledger.transaction = (signature) => {
        const record = honest(signature)
        return record === undefined || record.slot <= since ? record : { ...record, version: 2 as 1 }
      }
      const transaction = yield* signedBy(solanaUser, yield* unsignedOf(solana.url, stepOf(quoted), 0))
      const wire = getBase64EncodedWireTransaction(transaction)
      const signature = yield* Effect.promise(() =>
        createSolanaRpc(solana.url).sendTransaction(wire, { encoding: "base64" }).send()
      )
      yield* until("the alarm", alarms(url, "transaction-unread"), (count) => count === 1)
      const index = post(`${url}/transactions/index`, { txHash: signature, chainId: SOLANA_CHAIN })
      assert.strictEqual((yield* index).status, 503)
      // The release is a newer one.
      ledger.transaction = honest
      assert.strictEqual((yield* index).status, 200)
      assert.deepInclude(yield* endedAnywhere(url, quoted), { status: "success", inTxHashes: [signature] })
      assert.strictEqual(yield* alarms(url, "transaction-unread"), 1)
    }))

  it.effect("deliver USDC both ways; a recipient without an account for it pays for that, once", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, key, solanaUser } = yield* parties(1)
      const recipient = newSolanaKey().address
      const ata = yield* Effect.promise(() => tokenAccount(recipient, usdc.address, usdc.program))
      const amount = parseUnits("100", 6)
      const outs: Array<bigint> = []
      for (const first of [true, false]) {
        const had = yield* solanaBalances(solana.url, recipient, ata)
        const there = yield* quote(
          url,
          toSolana(evmUser, recipient, evmUsdc, usdc.address, chains.alpha.chainId, amount)
        )
        yield* execute(chains.alpha, key, there)
        assert.strictEqual((yield* endedAnywhere(url, there)).status, "success", first ? "opening" : "open")
        const has = yield* solanaBalances(solana.url, recipient, ata)
        assert.strictEqual(has.tokens - had.tokens, BigInt(there.details.currencyOut.amount))
        outs.push(BigInt(there.details.currencyOut.amount))
      }
      // At 150 dollars a SOL the account is about 31 cents.
      assert.strictEqual((outs[1] ?? 0n) - (outs[0] ?? 0n), (RENT * 150_000_000n + LAMPORTS - 1n) / LAMPORTS)

      const before = yield* Effect.promise(() =>
        reader(chains.beta).readContract({
          abi: erc20Abi,
          address: evmUsdc,
          functionName: "balanceOf",
          args: [evmUser]
        })
      )
      const back = yield* quoteSolana(
        url,
        fromSolana(solanaUser.address, evmUser, usdc.address, evmUsdc, chains.beta.chainId, amount, {
          includeComputeUnitLimit: true
        })
      )
      const data = back.steps[0]?.items[0]?.data
      if (data === undefined) return yield* Effect.die(new Error("no deposit"))
      assert.deepStrictEqual(data.instructions.map(({ programId }) => programId).slice(0, 1), [
        "ComputeBudget111111111111111111111111111111"
      ])
      yield* sendSolana(solana.url, [solanaUser], data)
      assert.strictEqual((yield* endedAnywhere(url, back)).status, "success")
      const after = yield* Effect.promise(() =>
        reader(chains.beta).readContract({
          abi: erc20Abi,
          address: evmUsdc,
          functionName: "balanceOf",
          args: [evmUser]
        })
      )
      assert.strictEqual(after - before, BigInt(back.details.currencyOut.amount))
    }))

  for (const tradeType of ["EXACT_OUTPUT", "EXPECTED_OUTPUT"]) {
    it.effect(`of ${tradeType} deliver the requested amount, both ways`, () =>
      Effect.gen(function*() {
        const { chains, solana, url } = yield* Running
        const { evmUser, key, solanaUser } = yield* parties(4)
        const recipient = newSolanaKey().address
        const lamports = 2n * LAMPORTS
        const there = yield* quote(
          url,
          toSolana(evmUser, recipient, NATIVE, SOL, chains.alpha.chainId, lamports, { tradeType })
        )
        yield* execute(chains.alpha, key, there)
        assert.strictEqual((yield* endedAnywhere(url, there)).status, "success")
        assert.strictEqual((yield* solanaBalances(solana.url, recipient)).lamports, lamports)

        const evmRecipient = `0x${randomBytes(20).toString("hex")}` as const
        const tokens = parseUnits("40", 6)
        const back = yield* quoteSolana(
          url,
          fromSolana(solanaUser.address, evmRecipient, usdc.address, evmUsdc, chains.beta.chainId, tokens, {
            tradeType
          })
        )
        const data = back.steps[0]?.items[0]?.data
        if (data === undefined) return yield* Effect.die(new Error("no deposit"))
        yield* sendSolana(solana.url, [solanaUser], data)
        assert.strictEqual((yield* endedAnywhere(url, back)).status, "success")
        const has = yield* Effect.promise(() =>
          reader(chains.beta).readContract({
            abi: erc20Abi,
            address: evmUsdc,
            functionName: "balanceOf",
            args: [evmRecipient]
          })
        )
        assert.strictEqual(has, tokens)
      }))
  }

  it.effect(
    "that cannot be filled are refunded where they came from: on Solana and to Solana's users",
    () =>
      Effect.gen(function*() {
        const { chains, solana, url } = yield* Running
        const { evmUser, key, solanaUser } = yield* parties(2)
        const refundTo = newSolanaKey().address
        const back = yield* quoteSolana(
          url,
          fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, LAMPORTS, {
            refundTo,
            referrer: "force-refund"
          })
        )
        const data = back.steps[0]?.items[0]?.data
        if (data === undefined) return yield* Effect.die(new Error("no deposit"))
        yield* sendSolana(solana.url, [solanaUser], data)
        assert.strictEqual((yield* endedAnywhere(url, back)).status, "refund")
        const { lamports } = yield* solanaBalances(solana.url, refundTo)
        assert.strictEqual(lamports, LAMPORTS - 5_000n)

        const evmRefund = (yield* parties(8)).evmUser
        const had = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: evmRefund }))
        const there = yield* quote(
          url,
          toSolana(evmUser, newSolanaKey().address, NATIVE, SOL, chains.alpha.chainId, parseEther("0.2"), {
            refundTo: evmRefund,
            referrer: "force-refund"
          })
        )
        yield* execute(chains.alpha, key, there)
        assert.strictEqual((yield* endedAnywhere(url, there)).status, "refund")
        const has = yield* Effect.promise(() => reader(chains.alpha).getBalance({ address: evmRefund }))
        assert.isTrue(has - had > parseEther("0.199") && has - had < parseEther("0.2"))
      }),
    shows("solana-vm", "refunds")
  )

  it.effect("are reported by webhooks either way, in order and signed, with the transactions of both families in their own spelling", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, key, solanaUser } = yield* parties(5)
      const receiver = yield* startReceiver()
      const made = yield* post(`${url}/webhooks`, { url: receiver.url }, keyOf(sponsor))
      const { secret } = Schema.decodeUnknownSync(Schema.Struct({ secret: Schema.String }))(made.json())
      const recipient = newSolanaKey().address
      const there = yield* quote(
        url,
        toSolana(evmUser, recipient, NATIVE, SOL, chains.alpha.chainId, parseEther("0.1")),
        keyOf(sponsor)
      )
      const back = yield* quoteSolana(
        url,
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, LAMPORTS),
        keyOf(sponsor)
      )
      const data = back.steps[0]?.items[0]?.data
      if (data === undefined) return yield* Effect.die(new Error("no deposit"))
      const [, sent] = yield* Effect.all([
        execute(chains.alpha, key, there),
        sendSolana(solana.url, [solanaUser], data)
      ], { concurrency: "unbounded" })
      const rpc = createSolanaRpc(solana.url)
      for (const { steps } of [there, back]) {
        const requestId = steps[0]?.requestId ?? ""
        const told = () => receiver.received.filter(({ json }) => json.id.startsWith(`${requestId}.`))
        yield* eventually("success is told", () => told().some(({ json }) => json.data["status"] === "success"))
        assert.deepStrictEqual(
          told().map(({ json }) => json.sequence),
          told().map((_, index) => index + 1),
          "from 1, without a gap"
        )
        for (const { body, headers } of told()) {
          assert.deepStrictEqual(verifyWebhook({ body, headers, secrets: [secret], now: Date.now() }), { ok: true })
        }
        const status: unknown = yield* Effect.promise(async () =>
          (await fetch(`${url}/intents/status?requestId=${requestId}`)).json()
        )
        assert.deepStrictEqual(told().at(-1)?.json.data, status)
      }
      const hashesOf = ({ steps }: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }) =>
        receiver.received.findLast(({ json }) => json.id.startsWith(`${steps[0]?.requestId}.`))?.json.data
      const fill = yield* Effect.promise(async () =>
        (await rpc.getSignaturesForAddress(recipient).send())[0]?.signature
      )
      assert.deepStrictEqual([hashesOf(there)?.["txHashes"], hashesOf(back)?.["inTxHashes"]], [[fill], [
        sent.signature
      ]])
      assert.deepStrictEqual([hashesOf(there)?.["originChainId"], hashesOf(there)?.["destinationChainId"]], [
        chains.alpha.chainId,
        SOLANA_CHAIN
      ])
    }).pipe(Effect.scoped))

  it.effect("let a depositFeePayer pay their fees and their vault's account; it signs first, and must have the SOL for it", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { evmUser, solanaUser } = yield* parties(3)
      const payer = (yield* parties(4)).solanaUser
      const body = (depositFeePayer: string) =>
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, LAMPORTS, { depositFeePayer })
      const before = yield* Effect.all([
        solanaBalances(solana.url, solanaUser.address),
        solanaBalances(solana.url, payer.address)
      ])
      const quoted = yield* quoteSolana(url, body(payer.address))
      const data = quoted.steps[0]?.items[0]?.data
      if (data === undefined) return yield* Effect.die(new Error("no deposit"))
      assert.deepStrictEqual([data.feePayer, quoted.fees["gas"]?.amount, quoted.fees["subsidized"]?.amount], [
        payer.address,
        "0",
        "0"
      ])
      yield* sendSolana(solana.url, [solanaUser, payer], data)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      const after = yield* Effect.all([
        solanaBalances(solana.url, solanaUser.address),
        solanaBalances(solana.url, payer.address)
      ])
      assert.deepStrictEqual(before.map(({ lamports }, index) => lamports - (after[index]?.lamports ?? 0n)), [
        LAMPORTS,
        10_000n
      ])
      assert.deepInclude(yield* refusalOf(body(newSolanaKey().address)), { status: 400, errorCode: "INVALID_REQUEST" })
      assert.include((yield* refusalOf(body(newSolanaKey().address))).message, "depositFeePayer")
      assert.include((yield* refusalOf(body(solanaUser.address))).message, "must differ from user")
    }))

  it.effect("have an account's rent sponsored only by subsidizeRent, and nothing sponsored without it", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { evmUser } = yield* parties(6)
      const amount = parseUnits("100", 6)
      const ask = Effect.fnUntraced(function*(recipient: string, changes: object) {
        const body = toSolana(evmUser, recipient, evmUsdc, usdc.address, chains.alpha.chainId, amount, {
          subsidizeFees: true,
          ...changes
        })
        const answer = yield* postQuote(url, body, keyOf(sponsor))
        assert.strictEqual(answer.status, 200, answer.text)
        const { details, feeSponsorship: { quoted: { components, sponsoredTotal } } } = yield* Schema
          .decodeUnknownEffect(SponsoredQuote)(answer.json())
        return {
          out: BigInt(details.currencyOut.amount),
          rent: components["rent"],
          sponsored: BigInt(sponsoredTotal.amount)
        }
      })
      const rentUnits = `${(RENT * 150_000_000n + LAMPORTS - 1n) / LAMPORTS}`
      // By default everything but rent is selected, so the user pays for the whole request (SPONSOR-4).
      const fallen = yield* ask(newSolanaKey().address, {})
      assert.strictEqual(fallen.sponsored, 0n)
      assert.deepInclude(fallen.rent, { selected: false })
      assert.strictEqual(fallen.rent?.userPays.amount, rentUnits)
      // An explicit list leaves the rent to the user and sponsors the rest.
      const listed = yield* ask(newSolanaKey().address, { sponsoredFeeComponents: ["execution", "swap", "service"] })
      assert.strictEqual(listed.out, amount - BigInt(rentUnits))
      assert.isAbove(Number(listed.sponsored), 0)
      const whole = yield* ask(newSolanaKey().address, { subsidizeRent: true })
      assert.strictEqual(whole.out, amount)
      assert.strictEqual(whole.rent?.sponsored.amount, rentUnits)
      assert.strictEqual(whole.sponsored - listed.sponsored, BigInt(rentUnits))
      // When no account has to be opened there is no rent, and no fallback to the user.
      const { solanaUser } = yield* parties(6)
      const open = yield* ask(solanaUser.address, {})
      assert.strictEqual(open.out, amount)
      assert.strictEqual(open.rent?.total.amount, "0")
      // Without subsidizeFees it sponsors nothing.
      const alone = yield* quote(
        url,
        toSolana(evmUser, newSolanaKey().address, evmUsdc, usdc.address, chains.alpha.chainId, amount, {
          subsidizeRent: true
        })
      )
      assert.strictEqual(alone.fees["subsidized"]?.amount, "0")
    }))

  it.effect("take sponsored rent from the sponsor's balance, and nothing for a depositFeePayer", () =>
    Effect.gen(function*() {
      const { chains, solana, url } = yield* Running
      const { key, evmUser, solanaUser } = yield* parties(7)
      // Including holds: only captured money is gone.
      const balance = Effect.promise(async () => {
        const answer = (await (await fetch(`${url}/app-fees/${sponsor.wallet}/balances`)).json()) as {
          readonly amount: string
        }
        return BigInt(answer.amount)
      })
      const before = yield* balance
      const recipient = newSolanaKey().address
      const body = toSolana(evmUser, recipient, evmUsdc, usdc.address, chains.alpha.chainId, parseUnits("100", 6), {
        subsidizeFees: true,
        subsidizeRent: true
      })
      const quoted = yield* quote(url, body, keyOf(sponsor))
      yield* execute(chains.alpha, key, quoted)
      assert.strictEqual((yield* endedAnywhere(url, quoted)).status, "success")
      const ata = yield* Effect.promise(() => tokenAccount(recipient, usdc.address, usdc.program))
      assert.strictEqual((yield* solanaBalances(solana.url, recipient, ata)).tokens, parseUnits("100", 6))
      // Captured once the fill is final.
      const drawn = yield* balance.pipe(
        Effect.map((now) => before - now),
        Effect.tap(() => Effect.sleep(100)),
        Effect.repeat({ until: (taken) => taken > 0n })
      )
      assert.isAtLeast(Number(drawn), Number((RENT * 150_000_000n) / LAMPORTS))
      const after = yield* balance
      const payer = (yield* parties(8)).solanaUser
      const deposit = yield* quoteSolana(
        url,
        fromSolana(solanaUser.address, evmUser, SOL, NATIVE, chains.beta.chainId, LAMPORTS, {
          depositFeePayer: payer.address
        }),
        keyOf(sponsor)
      )
      const data = deposit.steps[0]?.items[0]?.data
      if (data === undefined) return yield* Effect.die(new Error("no deposit"))
      yield* sendSolana(solana.url, [solanaUser, payer], data)
      assert.strictEqual((yield* endedAnywhere(url, deposit)).status, "success")
      assert.strictEqual(yield* balance, after)
    }))

  it.effect("are refused by name where nobody would receive the money", () =>
    Effect.gen(function*() {
      const { chains } = yield* Running
      const { evmUser, solanaUser } = yield* parties(5)
      const there = (recipient: string, to = SOL) =>
        toSolana(evmUser, recipient, NATIVE, to, chains.alpha.chainId, parseEther("0.1"))
      const ata = yield* Effect.promise(() => tokenAccount(solanaUser.address, usdc.address, usdc.program))
      const unopened = yield* Effect.promise(() => tokenAccount(newSolanaKey().address, usdc.address, usdc.program))
      for (
        const nobody of [
          evmUser,
          usdc.address,
          ata,
          unopened,
          "11111111111111111111111111111111",
          "GDg3LSsxffTMCbiJLWYANDNqiSamXjJLVd3zZNjuVZoC"
        ]
      ) {
        for (const currency of [SOL, usdc.address]) {
          assert.deepInclude(
            yield* refusalOf(there(nobody, currency)),
            { status: 400, errorCode: "INVALID_RECIPIENT" },
            `${nobody} ${currency}`
          )
        }
      }
      assert.deepInclude(
        yield* refusalOf({ ...there(solanaUser.address), txs: [{ to: evmUser, value: "0", data: "0x" }] }),
        { errorCode: "EXTRA_TXS_NOT_SUPPORTED" }
      )
    }))
})

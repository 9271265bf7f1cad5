import { assert, layer } from "@effect/vitest"
import { address } from "@solana/kit"
import { Effect, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { keyOfSeed } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { holding } from "../../../localnet/nodes/solana/node/TokenAccount.ts"
import { tokenAccount } from "../../../localnet/nodes/solana/DepositoryProgram.ts"
import type { Lie } from "../../../localnet/nodes/solana/jupiter/JupiterServer.ts"
import type { Mint } from "../../../localnet/nodes/solana/Mints.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { dust, gem, lookupTable, ore } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { solanaChainId as SOLANA_CHAIN } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { post, postQuote } from "../../testing/Client.ts"
import { endedAnywhere, quoteSolana, sendSolana, solanaBalances, SolanaQuote } from "../../testing/SolanaClient.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { verifierOf } from "../../testing/Verified.ts"

class Running extends fixtureOf<Running>()("test/SolanaSwapsRunning", startFixture(startSolanaNetwork())) {}

const LAMPORTS = 1_000_000_000n
const FEE = 5_000n
const newSolanaKey = () => keyOfSeed(new Uint8Array(randomBytes(32)))

const userAt = (index: number) =>
  Effect.gen(function*() {
    const user = (yield* Running).solanaUsers[index]
    return user ?? (yield* Effect.die(new Error("no such user")))
  })

const within = (user: string, from: string, to: string, amount: bigint, changes: object = {}) => ({
  user,
  originChainId: SOLANA_CHAIN,
  destinationChainId: SOLANA_CHAIN,
  originCurrency: from,
  destinationCurrency: to,
  amount: amount.toString(),
  tradeType: "EXACT_INPUT",
  ...changes
})

const refusalOf = Effect.fnUntraced(function*(body: object) {
  const answer = yield* post(`${(yield* Running).url}/quote`, body)
  const { errorCode, message } = answer.json() as { errorCode?: string; message: string }
  return { status: answer.status, errorCode, message }
})

const held = Effect.fnUntraced(function*(owner: string, mint: Mint) {
  const { solana } = yield* Running
  const account = yield* Effect.promise(() => tokenAccount(address(owner), mint.address, mint.program))
  return holding(solana.chain.read(account, "confirmed"))?.amount ?? 0n
})

const dataOf = Effect.fnUntraced(function*(quoted: Effect.Success<ReturnType<typeof quoteSolana>>) {
  const data = quoted.steps[0]?.items[0]?.data
  return data ?? (yield* Effect.die(new Error("no step")))
})

/**
 * A quote that a careful client has checked: nothing is wrong with it, and for a swap the route remains to be
 * simulated.
 */
const quoteVerified = Effect.fnUntraced(function*(request: object) {
  const { chains, environment, url } = yield* Running
  const body = { ...request, includeProtocolData: true }
  const verify = yield* verifierOf(chains, body, {}, environment)
  const answer = yield* postQuote(url, body)
  assert.strictEqual(answer.status, 200, answer.text)
  const quoted = Schema.decodeUnknownSync(SolanaQuote)(answer.json())
  const left = verify(answer.json()).checks.filter(({ outcome }) => outcome !== "ok").map(({ name, outcome }) =>
    `${name} ${outcome}`
  )
  assert.deepStrictEqual(left, quoted.steps[0]?.id === "swap" ? ["swap 0 route unchecked"] : [])
  return quoted
})

/** Quotes, sends, and waits until it has ended. */
const carryOut = Effect.fnUntraced(function*(user: ReturnType<typeof newSolanaKey>, body: object) {
  const { solana, url } = yield* Running
  const quoted = yield* quoteVerified(body)
  const data = yield* dataOf(quoted)
  const sent = yield* sendSolana(solana.url, [user], data)
  const ended = yield* endedAnywhere(url, quoted)
  assert.deepInclude(ended, { status: "success", failReason: "N/A", inTxHashes: [sent.signature] })
  return {
    quoted,
    data,
    fee: sent.fee,
    out: BigInt(quoted.details.currencyOut.amount),
    in: BigInt(quoted.details.currencyIn.amount)
  }
})

layer(Running.layer, { excludeTestServices: true })("swaps and sends within Solana", (it) => {
  it.effect("are executed by their user, to the unit of the quote, for either exact side, from SOL and to it", () =>
    Effect.gen(function*() {
      const { solana, url } = yield* Running
      const user = yield* userAt(0)
      const lamports = Effect.map(solanaBalances(solana.url, user.address), (all) => all.lamports)
      const before = [yield* lamports, yield* held(user.address, usdc)] as const
      const sold = yield* carryOut(user, within(user.address, SOL, usdc.address, 2n * LAMPORTS))
      assert.deepStrictEqual(sold.quoted.steps.map(({ id }) => id), ["swap"])
      assert.strictEqual((yield* held(user.address, usdc)) - before[1], sold.out)
      assert.strictEqual(before[0] - (yield* lamports), 2n * LAMPORTS + sold.fee)
      const bought = yield* carryOut(
        user,
        within(user.address, usdc.address, SOL, LAMPORTS, { tradeType: "EXACT_OUTPUT" })
      )
      assert.strictEqual((yield* lamports) - before[0] + 2n * LAMPORTS + sold.fee + bought.fee, LAMPORTS)
      assert.strictEqual((yield* held(user.address, usdc)) - before[1], sold.out - bought.in)
      // To another recipient, whose account the user opens.
      const recipient = newSolanaKey().address
      const given = yield* carryOut(
        user,
        within(user.address, usdc.address, gem.address, 50_000_000n, { recipient, slippageTolerance: "0" })
      )
      assert.strictEqual(yield* held(recipient, gem), given.out)
      const sources = yield* Effect.promise(() =>
        fetch(`${url}/swap-sources?chainId=${SOLANA_CHAIN}`).then((answer) => answer.text())
      )
      assert.include(sources, "jupiter")
    }))

  it.effect("follow maxRouteLength and useSharedAccounts, and use a lookup table where one is needed", () =>
    Effect.gen(function*() {
      const { jupiter, url } = yield* Running
      const user = yield* userAt(1)
      const ask = (changes: object, to: Mint = gem) =>
        quoteSolana(url, within(user.address, SOL, to.address, 10n * LAMPORTS, changes))
      const [free, one] = [yield* ask({}), yield* ask({ maxRouteLength: 1 })]
      assert.isAbove(Number(free.details.currencyOut.amount), Number(one.details.currencyOut.amount))
      assert.strictEqual(
        (yield* ask({ maxRouteLength: 2 })).details.currencyOut.amount,
        free.details.currencyOut.amount
      )
      // ORE is reached through GEM: never in one hop, and otherwise in two or three.
      const [three, two] = [yield* ask({}, ore), yield* ask({ maxRouteLength: 2 }, ore)]
      assert.isAbove(Number(three.details.currencyOut.amount), Number(two.details.currencyOut.amount))
      assert.deepInclude(yield* refusalOf(within(user.address, SOL, ore.address, LAMPORTS, { maxRouteLength: 1 })), {
        errorCode: "NO_SWAP_ROUTES_FOUND"
      })
      // Without shared accounts the user opens its own intermediate ones, and pays their rent.
      const shared = yield* ask({ useSharedAccounts: true }, ore)
      const RENT = 2_039_280n
      assert.strictEqual(BigInt(three.fees["gas"]?.amount ?? 0), FEE + 2n * RENT)
      assert.strictEqual(BigInt(shared.fees["gas"]?.amount ?? 0), FEE + RENT)
      const { data } = yield* carryOut(
        user,
        within(user.address, SOL, dust.address, LAMPORTS, { includeComputeUnitLimit: true })
      )
      assert.deepStrictEqual(data.addressLookupTableAddresses, [lookupTable])
      assert.strictEqual(data.instructions[0]?.programId, "ComputeBudget111111111111111111111111111111")
      assert.isTrue((yield* held(user.address, dust)) > 0n)
      // The same route without its table is larger than a transaction may be.
      yield* jupiter.setLie((path, answer) =>
        path.endsWith("/swap-instructions") ? { ...(answer as object), addressLookupTableAddresses: [] } : answer
      )
      const refused = yield* refusalOf(within(newSolanaKey().address, SOL, dust.address, LAMPORTS))
      yield* jupiter.setLie(undefined)
      assert.deepInclude(refused, { status: 400, errorCode: "SOLANA_TX_TOO_LARGE" })
      assert.include(refused.message, "maxRouteLength")
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ jupiter }) => jupiter.setLie(undefined)))))

  it.effect("are not passed on from a server that would take more, give less, or touch other accounts", () =>
    Effect.gen(function*() {
      const { jupiter, solanaUsers, url } = yield* Running
      const [user, thief] = [yield* userAt(2), solanaUsers[3]?.address ?? ""]
      const other = yield* Effect.promise(() => tokenAccount(user.address, usdc.address, usdc.program))
      const stolen = yield* Effect.promise(() => tokenAccount(address(thief), gem.address, gem.program))
      const body = within(user.address, SOL, gem.address, LAMPORTS, { maxRouteLength: 1 })
      type Account = { readonly pubkey: string; readonly isSigner: boolean; readonly isWritable: boolean }
      type Instruction = {
        readonly programId: string
        readonly accounts: ReadonlyArray<Account>
        readonly data: string
      }
      type Answer = {
        readonly setupInstructions: ReadonlyArray<Instruction>
        readonly swapInstruction: Instruction
        readonly cleanupInstruction: Instruction
      }
      const on = (change: (answer: Answer) => object): Lie => (path, answer) =>
        path.endsWith("/swap-instructions") ? { ...(answer as Answer), ...change(answer as Answer) } : answer
      const swap = (change: (instruction: Instruction) => Partial<Instruction>) =>
        on(({ swapInstruction }) => ({ swapInstruction: { ...swapInstruction, ...change(swapInstruction) } }))
      const tail = (write: (data: Buffer) => void) =>
        swap(({ data }) => {
          const bytes = Buffer.from(data, "base64")
          write(bytes)
          return { data: bytes.toString("base64") }
        })
      const approve: Instruction = {
        programId: usdc.program,
        accounts: [{ pubkey: other, isSigner: false, isWritable: true }, {
          pubkey: thief,
          isSigner: false,
          isWritable: false
        }, { pubkey: user.address, isSigner: true, isWritable: false }],
        data: Buffer.from([4, 255, 255, 255, 255, 0, 0, 0, 0]).toString("base64")
      }
      const lies: Readonly<Record<string, Lie>> = {
        "another program": swap(() => ({ programId: usdc.program })),
        "another signer": swap(({ accounts }) => ({
          accounts: [...accounts, { pubkey: thief, isSigner: true, isWritable: false }]
        })),
        "another account of the user's": swap(({ accounts }) => ({
          accounts: [...accounts, { pubkey: other, isSigner: false, isWritable: true }]
        })),
        "another destination": swap(({ accounts }) => ({
          accounts: accounts.map((each, index) => index === accounts.length - 1 ? { ...each, pubkey: stolen } : each)
        })),
        "a lower limit": tail((data) => data.writeUInt16LE(9_000, data.length - 3)),
        "more that goes in": tail((data) => data.writeBigUInt64LE(2n * LAMPORTS, data.length - 19)),
        "a fee": tail((data) => data.writeUInt8(50, data.length - 1)),
        "another instruction": tail((data) => data.writeUInt8(0, 0)),
        "an approval": on(({ setupInstructions }) => ({ setupInstructions: [...setupInstructions, approve] })),
        "more that is wrapped": on(({ setupInstructions }) => ({
          setupInstructions: setupInstructions.map((each) =>
            each.programId !== SOL
              ? each
              : {
                ...each,
                data: Buffer.from([2, 0, 0, 0, ...Buffer.from(BigUint64Array.of(3n * LAMPORTS).buffer)]).toString(
                  "base64"
                )
              }
          )
        })),
        "a wrapping for somebody else": on(({ setupInstructions }) => ({
          setupInstructions: setupInstructions.map((each) =>
            each.programId !== SOL
              ? each
              : {
                ...each,
                accounts: each.accounts.map((account, index) => index === 1 ? { ...account, pubkey: thief } : account)
              }
          )
        })),
        "an unwrapping to somebody else": on(({ cleanupInstruction }) => ({
          cleanupInstruction: {
            ...cleanupInstruction,
            accounts: cleanupInstruction.accounts.map((account, index) =>
              index === 1 ? { ...account, pubkey: thief } : account
            )
          }
        })),
        "something besides": on(() => ({ otherInstructions: [approve] }))
      }
      for (const [name, lie] of Object.entries(lies)) {
        yield* jupiter.setLie(lie)
        assert.deepInclude(yield* refusalOf(body), { status: 400, errorCode: "NO_SWAP_ROUTES_FOUND" }, name)
      }
      // A quote of more than the pools give: the program would revert it, which is detected before the user signs.
      yield* jupiter.setLie((path, answer) => path.endsWith("/quote") ? grown(answer) : answer)
      assert.include([400], (yield* refusalOf({ ...body, overridePriceImpact: true })).status)
      // A longer route than was requested, and a quote of something else.
      yield* jupiter.setLie((path, answer) =>
        path.endsWith("/quote") ? { ...(answer as object), slippageBps: 9_999 } : answer
      )
      assert.deepInclude(yield* refusalOf(body), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      yield* jupiter.setLie(undefined)
      assert.strictEqual((yield* postQuote(url, body)).status, 200)
    }).pipe(Effect.ensuring(Effect.flatMap(Running, ({ jupiter }) => jupiter.setLie(undefined)))))

  it.effect("are refused by name where they would fail; sends arrive, with their fee on top", () =>
    Effect.gen(function*() {
      const { chains, solana } = yield* Running
      const user = yield* userAt(4)
      const refused = (changes: object, from: string = SOL, to: string = usdc.address) =>
        refusalOf(within(user.address, from, to, LAMPORTS, changes))
      assert.deepInclude(yield* refused({ excludedSwapSources: ["jupiter"] }), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      assert.deepInclude(yield* refused({ disableOriginSwaps: true }), { errorCode: "NO_SWAP_ROUTES_FOUND" })
      assert.include((yield* refused({ depositFeePayer: newSolanaKey().address })).message, "depositFeePayer")
      const evm = {
        user: `0x${"12".repeat(20)}`,
        originChainId: chains.alpha.chainId,
        originCurrency: "0x0000000000000000000000000000000000000000"
      }
      const elsewhere = yield* refused({
        ...evm,
        destinationCurrency: SOL,
        recipient: user.address,
        useSharedAccounts: true
      })
      assert.deepInclude(elsewhere, {
        errorCode: "INVALID_REQUEST",
        message: "useSharedAccounts: originChainId must be Solana"
      })
      const recipient = newSolanaKey().address
      const sent = yield* carryOut(user, within(user.address, SOL, SOL, LAMPORTS, { recipient }))
      assert.deepStrictEqual(sent.quoted.steps.map(({ id }) => id), ["send"])
      assert.strictEqual((yield* solanaBalances(solana.url, recipient)).lamports, LAMPORTS)
      yield* carryOut(user, within(user.address, usdc.address, usdc.address, 7_000_000n, { recipient }))
      assert.strictEqual(yield* held(recipient, usdc), 7_000_000n)
      assert.deepInclude(
        yield* refusalOf(within(user.address, SOL, SOL, 1_000n, { recipient: newSolanaKey().address })),
        { errorCode: "INVALID_RECIPIENT" }
      )
      assert.deepInclude(yield* refusalOf(within(user.address, SOL, SOL, LAMPORTS, { recipient: usdc.address })), {
        errorCode: "INVALID_RECIPIENT"
      })
      // What pools would unwrap on the user's account, the solver pays to another recipient.
      const forOther = newSolanaKey().address
      const filled = yield* carryOut(
        user,
        within(user.address, usdc.address, SOL, 300_000_000n, { recipient: forOther })
      )
      assert.deepStrictEqual(filled.quoted.steps.map(({ id }) => id), ["deposit"])
      assert.strictEqual((yield* solanaBalances(solana.url, forOther)).lamports, filled.out)
    }))
})

const grown = (answer: unknown): object => {
  const quote = answer as { readonly outAmount: string; readonly otherAmountThreshold: string }
  return {
    ...quote,
    outAmount: `${BigInt(quote.outAmount) * 2n}`,
    otherAmountThreshold: `${BigInt(quote.otherAmountThreshold) * 2n}`
  }
}

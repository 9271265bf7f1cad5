/**
 * Transfers from and to Solana that crash tests begin, and what must be true of all of them at the end, according to
 * the chains and the ledger.
 */
import { assert } from "@effect/vitest"
import { createSolanaRpc, getCompiledTransactionMessageDecoder, getTransactionDecoder } from "@solana/kit"
import { Effect } from "effect"
import { parseUnits, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { keyOfName } from "../../../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenAccount, vault } from "../../../../localnet/nodes/solana/DepositoryProgram.ts"
import { usdc } from "../../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId } from "../../../../localnet/nodes/solana/SolanaChain.ts"
import { quote, sendDeposit } from "../../../testing/Client.ts"
import type { QuoteAnswer } from "../../../testing/Client.ts"
import { balanceOf, sentBy } from "../../../testing/Misbehaving.ts"
import {
  endedAnywhere,
  quoteSolana,
  refundedAnywhere,
  sendSolana,
  solanaBalances
} from "../../../testing/SolanaClient.ts"
import type { SolanaQuote } from "../../../testing/SolanaClient.ts"
import { SOL } from "../../../testing/SolanaNetwork.ts"
import type { startSolanaNetwork } from "../../../testing/SolanaNetwork.ts"
import { keyOf } from "../../../testing/Sponsor.ts"
import { assertSponsored, sponsor } from "./Scenarios.ts"

/**
 * `arriving` is ether for USDC on an account that the fill opens, all of it sponsored, the rent too. `plain` is ether
 * for SOL. `leaving` is USDC of Solana for ether. `returned` is SOL that is refunded. `expired` is `plain`, whose first
 * transaction is never in a block.
 */
export type SolanaScenario = "arriving" | "leaving" | "returned" | "expired" | "plain"

export type SolanaNetwork = Effect.Success<ReturnType<typeof startSolanaNetwork>>

/** `_tag`: the origin's family. */
interface Common {
  /** The account has no other income. */
  readonly paid: string
  readonly orderId: string
}

export type SolanaBegun =
  | Common & {
    readonly _tag: "Ethereum"
    readonly scenario: "arriving" | "expired" | "plain"
    readonly quoted: QuoteAnswer
  }
  | Common & { readonly _tag: "Solana"; readonly scenario: "leaving" | "returned"; readonly quoted: SolanaQuote }

const ETHER = "0x0000000000000000000000000000000000000000"
const AMOUNT = 10n ** 16n
const LAMPORTS = 100_000_000n
const TOKENS = parseUnits("25", 6)

const freshSolana = (index: number) => keyOfName(`causeway.test.crash.${index}`).address
const freshEvm = (index: number): Hex => toHex(0x501a_0000_0000n + BigInt(index), { size: 20 })

/** Begins a `flow` with its own index among all on the network. */
export const beginSolana = Effect.fnUntraced(
  function*(
    url: string,
    { chains: { alpha, beta, users }, solanaUsers }: SolanaNetwork,
    scenario: SolanaScenario,
    index: number
  ) {
    const appFees = [{ recipient: toHex(0xfee, { size: 20 }), fee: "30" }]
    if (scenario === "leaving" || scenario === "returned") {
      const leaving = scenario === "leaving"
      const paid = leaving ? freshEvm(index) : freshSolana(index)
      const quoted = yield* quoteSolana(url, {
        user: solanaUsers[index % solanaUsers.length]?.address,
        recipient: leaving ? paid : freshEvm(index),
        originChainId: solanaChainId,
        destinationChainId: beta.chainId,
        originCurrency: leaving ? usdc.address : SOL,
        destinationCurrency: ETHER,
        amount: `${leaving ? TOKENS : LAMPORTS}`,
        tradeType: "EXACT_INPUT",
        ...(leaving ? { appFees } : { refundTo: paid, referrer: "force-refund" })
      })
      return {
        _tag: "Solana",
        scenario,
        quoted,
        paid,
        orderId: `0x${quoted.steps[0]?.items[0]?.data.instructions.at(-1)?.data.slice(-64) ?? ""}`
      } satisfies SolanaBegun
    }
    const paid = freshSolana(index)
    const arriving = scenario === "arriving"
    const quoted = yield* quote(url, {
      user: privateKeyToAccount(users[index % users.length] ?? "0x").address,
      recipient: paid,
      originChainId: alpha.chainId,
      destinationChainId: solanaChainId,
      originCurrency: ETHER,
      destinationCurrency: arriving ? usdc.address : SOL,
      amount: `${AMOUNT}`,
      tradeType: "EXACT_INPUT",
      ...(arriving ? { subsidizeFees: true, subsidizeRent: true } : { appFees })
    }, arriving ? keyOf(sponsor) : {})
    return {
      _tag: "Ethereum",
      scenario,
      quoted,
      paid,
      orderId: `0x${quoted.steps.at(-1)?.items[0]?.data.data.slice(-64) ?? ""}`
    } satisfies SolanaBegun
  }
)

/** The user's deposit. */
export const paySolana = Effect.fnUntraced(
  function*({ chains: { alpha, users }, solana, solanaUsers }: SolanaNetwork, begun: SolanaBegun, index: number) {
    if (begun._tag === "Ethereum") {
      return yield* Effect.asVoid(sendDeposit(alpha, users[index % users.length] ?? "0x", begun.quoted))
    }
    const user = solanaUsers[index % solanaUsers.length]
    const data = begun.quoted.steps[0]?.items[0]?.data
    if (user === undefined || data === undefined) {
      return yield* Effect.die(new Error("no deposit, or nobody to make it"))
    }
    yield* sendSolana(solana.url, [user], data)
  }
)

interface SolverTransaction {
  readonly memo: string | null
  readonly fee: bigint
  readonly succeeded: boolean
  readonly signer: boolean
}

/** Every transaction that names the solver's account, according to the chain. */
const solverTransactions = ({ solana, solanaSolver }: SolanaNetwork) =>
  Effect.promise(async () => {
    const rpc = createSolanaRpc(solana.url)
    const listed = await rpc.getSignaturesForAddress(solanaSolver).send()
    return Promise.all(listed.map(async ({ err, memo, signature }): Promise<SolverTransaction> => {
      const found = await rpc.getTransaction(signature, { encoding: "base64", maxSupportedTransactionVersion: 0 })
        .send()
      if (found === null) throw new Error(`the chain lists ${signature} and does not have it`)
      const { messageBytes } = getTransactionDecoder().decode(Buffer.from(found.transaction[0], "base64"))
      const [payer] = getCompiledTransactionMessageDecoder().decode(messageBytes).staticAccounts
      return { memo, fee: found.meta?.fee ?? 0n, succeeded: err === null, signer: payer === solanaSolver }
    }))
  })

/** The balances of the solver and of the depository's vault, lamports and USDC. */
export const holdingsOf = ({ solana, solanaSolver }: SolanaNetwork) =>
  Effect.gen(function*() {
    const of = (owner: typeof vault) =>
      Effect.flatMap(Effect.promise(() => tokenAccount(owner, usdc.address, usdc.program)), (ata) =>
        solanaBalances(solana.url, owner, ata))
    return { solver: yield* of(solanaSolver), vault: yield* of(vault) }
  })
export type Holdings = Effect.Success<ReturnType<typeof holdingsOf>>

/** What a token account costs, and keeps. */
const RENT = 2_039_280n

const countOf = (begun: ReadonlyArray<SolanaBegun>, ...scenarios: ReadonlyArray<SolanaScenario>) =>
  BigInt(begun.filter(({ scenario }) => scenarios.includes(scenario)).length)

/**
 * Each has ended as intended, paid to the unit by exactly one transaction that names it. The solver has sent nothing
 * else. The balances of solver and vault are those of `before`, changed only by these payments, their fees and the
 * deposits.
 */
export const assertEachOnceOnSolana = Effect.fnUntraced(
  function*(
    url: string,
    network: SolanaNetwork,
    begun: ReadonlyArray<SolanaBegun>,
    before: Holdings,
    restored = false
  ) {
    const { chains: { alpha, beta, solver }, solana } = network
    const ends = yield* Effect.forEach(
      begun,
      ({ scenario, orderId, quoted }) =>
        endedAnywhere(url, quoted).pipe(Effect.timeoutOrElse({
          duration: "180 seconds",
          orElse: () => Effect.die(new Error(`${scenario} ${orderId} has not ended`))
        }))
    )
    // Enough time for any other signed transaction to be executed, if there were one.
    yield* Effect.sleep("2 seconds")
    yield* solana.finalize
    const sent = (yield* solverTransactions(network)).filter(({ signer }) => signer)
    const fromSolver = [...(yield* sentBy(alpha, solver)), ...(yield* sentBy(beta, solver))]
    // After a restore, and only then, the sequences that something forgotten could have are used up, by transactions to
    // oneself of nothing.
    const evm = restored
      ? fromSolver.filter(({ from, input, to, value }) =>
        value > 0n || input !== "0x" || to?.toLowerCase() !== from.toLowerCase()
      )
      : fromSolver
    let [lamports, tokens] = [0n, 0n]
    for (const [index, { scenario, orderId, paid, quoted }] of begun.entries()) {
      const what = `${scenario} ${orderId}`
      const { amount } = quoted.details.currencyOut
      const onSolana = sent.filter(({ memo }) => memo === `[66] ${orderId}`)
      const onEvm = evm.filter(({ input }) => input === orderId)
      assert.strictEqual(ends[index]?.status, scenario === "returned" ? "refund" : "success", what)
      assert.deepStrictEqual(
        [onSolana.map(({ succeeded }) => succeeded), onEvm.length],
        scenario === "leaving" ? [[], 1] : [[true], 0],
        what
      )
      if (scenario === "leaving") {
        assert.strictEqual(`${yield* balanceOf(beta, freshEvm(index))}`, amount, what)
        continue
      }
      const ata = yield* Effect.promise(() => tokenAccount(freshSolana(index), usdc.address, usdc.program))
      const has = yield* solanaBalances(solana.url, paid, ata)
      const expected = scenario === "arriving"
        ? ["0", amount]
        : [scenario === "returned" ? yield* refundedAnywhere(url, quoted) : amount, "0"]
      assert.deepStrictEqual([`${has.lamports}`, `${has.tokens}`], expected, what)
      lamports += has.lamports
      tokens += has.tokens
    }
    assert.lengthOf(sent, begun.filter(({ scenario }) => scenario !== "leaving").length)
    assert.lengthOf(evm, begun.filter(({ scenario }) => scenario === "leaving").length)
    const fees = sent.reduce((sum, { fee }) => sum + fee, 0n)
    const after = yield* holdingsOf(network)
    assert.deepStrictEqual(
      [after.solver.lamports, after.solver.tokens, after.vault.lamports, after.vault.tokens],
      [
        before.solver.lamports - lamports - fees - countOf(begun, "arriving") * RENT,
        before.solver.tokens - tokens,
        before.vault.lamports + countOf(begun, "returned") * LAMPORTS,
        before.vault.tokens + countOf(begun, "leaving") * TOKENS
      ]
    )
  }
)

/** The sponsor has paid once for each sponsored transfer, and none of its money is held any more. */
export const assertSolanaSponsored = (url: string, store: string, begun: ReadonlyArray<SolanaBegun>) =>
  assertSponsored(
    url,
    store,
    begun.flatMap((each) => each._tag === "Ethereum" && each.scenario === "arriving" ? each.quoted : [])
  )

export const endedOnSolana = (url: string, { quoted }: SolanaBegun) => endedAnywhere(url, quoted)

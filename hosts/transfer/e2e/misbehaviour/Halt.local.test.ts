import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { marked, transferCall } from "../app-balance/testing/CreditFixture.ts"
import { askPayout, balanceOf as appBalanceOf, payoutEnded } from "../app-balance/testing/SignedPayouts.ts"
import { ended, nativeRequest, postQuote, quote, reader, sendCall, status } from "../../testing/Client.ts"
import { addressFor, payTo, requestsOf } from "../../testing/Addressed.ts"
import { pooled } from "../../testing/FeePressure.ts"
import { get } from "../../testing/Get.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import {
  alarms,
  assertDelivered,
  assertFilledOnce,
  balanceOf,
  closed,
  eventually,
  holdMining,
  openDeposits,
  orderIdOf,
  paymentsOf,
  resumeMining
} from "../../testing/Misbehaving.ts"
import {
  ADMIN_TOKEN,
  bodyOf,
  isReady,
  key,
  losses,
  lossesOf,
  Network,
  remembered,
  replaceFrom,
  resume
} from "./testing/Halted.ts"
import { sendRaw, signDeposit, signTransfer } from "../../testing/SignedDeposit.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"

layer(Network.layer, { excludeTestServices: true })("a reorg past a chain's finality", (it) => {
  it.effect("removes a filled deposit: the chain stops for quotes in both directions, an alarm and readiness say so across a restart, the loss is booked, and an operator resumes it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaNode, betaNode, chains: { alpha, beta, solver }, environment, startHost } = yield* Network
      const host = yield* startHost({ ADMIN_TOKEN })
      const recipient = "0x000000000000000000000000000000000000ba01"
      const quoted = yield* quote(host.url, yield* bodyOf(0, recipient))
      yield* holdMining(alpha)
      const before = yield* alpha.request("evm_snapshot")
      const hash = yield* sendRaw(alpha, yield* signDeposit(alpha, yield* key(0), quoted))
      yield* alpha.mine(4)
      assert.strictEqual((yield* ended(host.url, quoted)).status, "success")
      yield* eventually(
        "the filling has ended: its deposit is final",
        closed(host.url, "filled"),
        (count) => count === 1
      )
      yield* alpha.mine(1)
      yield* remembered("alpha")

      yield* replaceFrom("alpha", before)
      yield* eventually("the alarm", alarms(host.url, "chain-halted"), (count) => count === 1)
      yield* eventually("the loss", lossesOf(host.url, quoted), (all) => all.length === 1)
      const [loss] = yield* lossesOf(host.url, quoted)
      assert.deepStrictEqual(loss, {
        kind: "deposit",
        chainId: alpha.chainId,
        orderId: orderIdOf(quoted),
        transactionId: hash,
        amount: `${parseEther("0.1")}`,
        recoveredAt: null
      })
      assert.include(host.output(), "alpha is halted")
      yield* eventually("the loss is an alarm", alarms(host.url, "lost-deposit"), (count) => count === 1)
      const { code, text } = yield* isReady(host.url)
      // The other chain is still served.
      assert.strictEqual(code, 200)
      assert.include(text, `chain alpha is halted: resume halt:${alpha.chainId}`)
      const forth = yield* bodyOf(1, recipient)
      const back = { ...forth, originChainId: beta.chainId, destinationChainId: alpha.chainId }
      for (const body of [forth, back]) {
        const refused = yield* postQuote(host.url, body)
        assert.deepStrictEqual([refused.status, refused.text.includes("CHAIN_DISABLED")], [400, true], refused.text)
      }
      assert.include((yield* get(`${host.url}/chains`)).text, `"depositEnabled":false`)
      yield* host.kill("SIGKILL")

      const { kill, url } = yield* spawnHost("transfer", {
        ...environment,
        ADMIN_TOKEN,
        ALPHA_RPC_URL: alphaNode.url,
        BETA_RPC_URL: betaNode.url
      })
      const up = isReady(url).pipe(Effect.catchDefect(() => Effect.succeed({ code: 0, text: "" })))
      yield* eventually("it is up, and still halted", up, (seen) => seen.text.includes("alpha is halted"))
      const resumed = yield* resume(url, alpha.chainId)
      assert.deepStrictEqual([resumed.status, resumed.json()], [200, { pauses: [] }])
      yield* eventually("it is ready", isReady(url), (seen) => seen.code === 200 && !seen.text.includes("halted"))
      assert.strictEqual((yield* postQuote(url, forth)).status, 200)
      // The chain as it is now counts as valid: it does not halt again, and nothing is paid twice.
      yield* alpha.mine(4)
      yield* resumeMining(alpha)
      yield* eventually("the deposit is closed as gone", closed(url, "gone"), (count) => count === 1)
      assert.strictEqual((yield* isReady(url)).code, 200)
      assert.lengthOf((yield* lossesOf(url, quoted)).filter(({ recoveredAt }) => recoveredAt === null), 1)
      yield* assertFilledOnce({ alpha, beta, solver }, quoted)
      yield* kill("SIGTERM")
    })))

  it.effect("moves a filled deposit: once the chain is resumed the loss is reversed, and nothing is paid again", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, startInstance } = yield* Network
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN })
      const recipient = "0x000000000000000000000000000000000000ba04"
      const quoted = yield* quote(url, yield* bodyOf(4, recipient))
      yield* holdMining(alpha)
      const before = yield* alpha.request("evm_snapshot")
      const raw = yield* signDeposit(alpha, yield* key(4), quoted)
      yield* sendRaw(alpha, raw)
      yield* alpha.mine(4)
      yield* eventually("the filling has ended: its deposit is final", closed(url, "filled"), (count) => count === 1)
      yield* alpha.mine(1)
      yield* remembered("alpha")
      yield* replaceFrom("alpha", before)
      yield* eventually("the loss", lossesOf(url, quoted), (all) => all.length === 1)
      yield* sendRaw(alpha, raw)
      yield* alpha.mine(1)
      yield* resumeMining(alpha)
      assert.strictEqual((yield* resume(url, alpha.chainId)).status, 200)
      yield* eventually(
        "the loss is taken back",
        lossesOf(url, quoted),
        (all) => all.every(({ recoveredAt }) => recoveredAt !== null)
      )
      yield* eventually("the deposit is closed as filled again", closed(url, "filled"), (count) => count >= 2)
      yield* assertFilledOnce({ alpha, beta, solver }, quoted)
      yield* assertDelivered({ beta }, quoted, recipient)
      yield* stop
    })))

  it.effect("removes a fill: nothing is paid on the chain while it is halted; after the resume the same payment is made again and the loss is reversed", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains: { alpha, beta, solver }, environment, startInstance } = yield* Network
      const { url } = yield* startInstance({ ADMIN_TOKEN })
      const [recipient, later] = [
        "0x000000000000000000000000000000000000ba02",
        "0x000000000000000000000000000000000000ba03"
      ] as const
      const quoted = yield* quote(url, yield* bodyOf(2, recipient))
      const waiting = yield* quote(url, yield* bodyOf(3, later))
      yield* holdMining(beta)
      const before = yield* beta.request("evm_snapshot")
      yield* sendRaw(alpha, yield* signDeposit(alpha, yield* key(2), quoted))
      // Wait until it is in the node's pool, so that the next block contains it.
      yield* eventually("the fill is in the pool", pooled(beta, solver), (waiting) => waiting.length > 0)
      yield* beta.mine(4)
      const [hash] = (yield* ended(url, quoted)).txHashes
      const { nonce } = yield* Effect.promise(() => reader(beta).getTransaction({ hash: hash ?? "0x" }))
      yield* eventually("the filling has ended: its fill is final", openDeposits(environment), (open) => open === 0)
      yield* beta.mine(1)
      yield* remembered("beta")

      yield* replaceFrom("beta", before)
      yield* eventually("the alarm", alarms(url, "chain-halted"), (count) => count === 1)
      yield* eventually("the loss", lossesOf(url, quoted), (all) => all.length === 1)
      assert.deepStrictEqual((yield* lossesOf(url, quoted)).map(({ kind, transactionId }) => [kind, transactionId]), [[
        "payment",
        hash
      ]])
      yield* sendRaw(alpha, yield* signDeposit(alpha, yield* key(3), waiting))
      yield* eventually("the other one waits", status(url, waiting), (seen) => seen.status === "delayed")
      const broadcasts = betaNode.calls("eth_sendRawTransaction")
      yield* resumeMining(beta)
      yield* Effect.sleep(1_500)
      assert.strictEqual(betaNode.calls("eth_sendRawTransaction"), broadcasts)
      assert.strictEqual(yield* balanceOf(beta, recipient), 0n)

      assert.strictEqual((yield* resume(url, beta.chainId)).status, 200)
      assert.strictEqual((yield* ended(url, waiting)).status, "success")
      yield* eventually(
        "the loss is taken back",
        lossesOf(url, quoted),
        (all) => all.every(({ recoveredAt }) => recoveredAt !== null)
      )
      const fills = yield* paymentsOf(beta, solver, quoted)
      assert.deepStrictEqual(fills.map((fill) => [fill.hash, fill.nonce]), [[hash, nonce]])
      for (const [one, to] of [[quoted, recipient], [waiting, later]] as const) {
        assert.strictEqual(yield* balanceOf(beta, to), BigInt(one.details.currencyOut.amount))
        assert.lengthOf(yield* paymentsOf(beta, solver, one), 1)
      }
      assert.strictEqual((yield* status(url, quoted)).status, "success")
      // The next host would go on with what is open while its own reorg runs.
      yield* eventually("both fillings have ended", openDeposits(environment), (open) => open === 0)
    })))

  it.effect("removes a payout: its money is reserved again; after the resume the same payment is made again, and the account's next one succeeds", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, chains: { beta, solver }, startInstance } = yield* Network
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN, CREDITS_FROM_BLOCK: "0" })
      const own = yield* key(5)
      const wallet = privateKeyToAccount(own).address
      const [recipient, later] = [
        "0x000000000000000000000000000000000000ba05",
        "0x000000000000000000000000000000000000ba06"
      ] as const
      yield* sendCall(beta, own, { to: USDC.address, data: transferCall(solver, 20_000_000n, marked(wallet)) })
      yield* eventually("the credit is seen", appBalanceOf(url, wallet), ({ amount }) => amount === "20000000")
      const asked = { kind: "withdraw", recipient, amount: 7_000_000n, nonce: 1n } as const
      yield* holdMining(beta)
      const before = yield* beta.request("evm_snapshot")
      const payout = yield* askPayout(url, chains, own, asked)
      yield* eventually("the payment is in the pool", pooled(beta, solver), (waiting) => waiting.length > 0)
      yield* beta.mine(4)
      const paid = yield* payoutEnded(payout, url)
      assert.strictEqual(paid.status, "success")
      const { nonce } = yield* Effect.promise(() => reader(beta).getTransaction({ hash: (paid.txHash ?? "0x") as Hex }))
      yield* beta.mine(1)
      yield* remembered("beta")

      yield* replaceFrom("beta", before)
      const lossesOfPayout = Effect.map(losses(url), (all) => all.filter(({ orderId }) => orderId === payout.id))
      yield* eventually("the loss", lossesOfPayout, (all) => all.length === 1)
      assert.deepStrictEqual((yield* lossesOfPayout).map((loss) => [loss.kind, loss.transactionId, loss.recoveredAt]), [
        ["payment", paid.txHash, null]
      ])
      assert.strictEqual(yield* held(beta, USDC, recipient), 0n)
      const next = yield* askPayout(url, chains, own, { ...asked, recipient: later, amount: 3_000_000n, nonce: 2n })
      yield* resumeMining(beta)
      assert.strictEqual((yield* resume(url, beta.chainId)).status, 200)
      const [again, other] = yield* Effect.all([payoutEnded(payout, url), payoutEnded(next, url)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([again.status, again.txHash, other.status], ["success", paid.txHash, "success"])
      yield* eventually(
        "the loss is taken back",
        lossesOfPayout,
        (all) => all.every(({ recoveredAt }) => recoveredAt !== null)
      )
      const mined = yield* Effect.promise(() => reader(beta).getTransaction({ hash: (paid.txHash ?? "0x") as Hex }))
      assert.strictEqual(mined.nonce, nonce)
      const after = yield* Effect.promise(() => reader(beta).getTransaction({ hash: (other.txHash ?? "0x") as Hex }))
      assert.strictEqual(after.nonce, nonce + 1)
      assert.deepStrictEqual([yield* held(beta, USDC, recipient), yield* held(beta, USDC, later)], [
        7_000_000n,
        3_000_000n
      ])
      assert.strictEqual((yield* appBalanceOf(url, wallet)).amount, "10000000")
      assert.strictEqual(yield* alarms(url, "payout-died"), 0)
      yield* stop
    })))

  it.effect("removes a sweep of a deposit address: after the resume the same bytes sweep it again, its deposit is filled once, and the account's next payment succeeds", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, operator }, environment, startInstance } = yield* Network
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN })
      const [recipient, later] = [
        "0x000000000000000000000000000000000000ba07",
        "0x000000000000000000000000000000000000ba08"
      ] as const
      const own = yield* key(6)
      const ask = (to: Hex) =>
        addressFor(url, nativeRequest(privateKeyToAccount(own).address, alpha, beta, ETH.some, { recipient: to }))
      const { depositAddress, quoted } = yield* ask(recipient)
      yield* holdMining(alpha)
      yield* sendRaw(alpha, yield* signTransfer(alpha, own, depositAddress, ETH.some))
      yield* alpha.mine(1)
      const before = yield* alpha.request("evm_snapshot")
      const [swept] = yield* eventually(
        "the sweep is in the pool",
        pooled(alpha, operator),
        (waiting) => waiting.length > 0
      )
      yield* alpha.mine(4)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* eventually("the filling has ended: its deposit is final", openDeposits(environment), (open) => open === 0)
      yield* alpha.mine(1)
      yield* remembered("alpha")

      yield* replaceFrom("alpha", before)
      yield* eventually("the alarm", alarms(url, "chain-halted"), (count) => count === 1)
      const lost = Effect.map(losses(url), (all) => all.filter(({ transactionId }) => transactionId === swept?.hash))
      yield* eventually("the loss", lost, (all) => all.length === 1)
      // The swept amount is the loss of its deposit, and nothing was paid with it.
      assert.deepStrictEqual((yield* lost).map(({ amount, kind, recoveredAt }) => [kind, amount, recoveredAt]), [[
        "deposit",
        `${ETH.some}`,
        null
      ]])
      assert.strictEqual(yield* balanceOf(alpha, depositAddress), ETH.some)
      yield* resumeMining(alpha)
      assert.strictEqual((yield* resume(url, alpha.chainId)).status, 200)
      yield* eventually("it is swept again", balanceOf(alpha, depositAddress), (balance) => balance === 0n)
      const again = yield* Effect.promise(() => reader(alpha).getTransactionReceipt({ hash: swept?.hash ?? "0x" }))
      assert.strictEqual(again.status, "success")
      yield* eventually("the loss is taken back", lost, (all) => all.every(({ recoveredAt }) => recoveredAt !== null))
      const next = yield* ask(later)
      yield* payTo(alpha, own, next.depositAddress, ETH, ETH.some)
      assert.strictEqual((yield* ended(url, next.quoted)).status, "success")
      assert.strictEqual(yield* balanceOf(alpha, next.depositAddress), 0n)
      for (const [one, to] of [[quoted, recipient], [next.quoted, later]] as const) {
        assert.strictEqual(yield* balanceOf(beta, to), BigInt(one.details.currencyOut.amount))
      }
      assert.strictEqual((yield* status(url, quoted)).status, "success")
      assert.strictEqual(yield* alarms(url, "sweep-died"), 0)
      yield* eventually("both fillings have ended", openDeposits(environment), (open) => open === 0)
      yield* stop
    })))

  it.effect("removes a fill after the excess of its deposit was returned, and its recipient then refuses it: an operator is told what is owed, and nothing is returned twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, environment, startInstance } = yield* Network
      const host = yield* startInstance({ ADMIN_TOKEN })
      const { stop, url } = host
      const [recipient, refundTo] = [
        "0x000000000000000000000000000000000000ba09",
        "0x000000000000000000000000000000000000ba0a"
      ] as const
      const own = yield* key(7)
      const { depositAddress, quoted } = yield* addressFor(
        url,
        nativeRequest(privateKeyToAccount(own).address, alpha, beta, ETH.some, { recipient, refundTo, strict: true })
      )
      yield* holdMining(beta)
      const before = yield* beta.request("evm_snapshot")
      yield* payTo(alpha, own, depositAddress, ETH, ETH.some * 2n)
      yield* eventually("the fill is in the pool", pooled(beta, solver), (waiting) => waiting.length > 0)
      yield* beta.mine(4)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const excess = yield* eventually("the excess is back", balanceOf(alpha, refundTo), (balance) => balance > 0n)
      yield* eventually("the filling has ended, its excess with it", openDeposits(environment), (open) => open === 0)
      yield* beta.mine(1)
      yield* remembered("beta")

      yield* replaceFrom("beta", before)
      yield* eventually(
        "the loss",
        losses(url),
        (all) =>
          all.some(({ chainId, kind, recoveredAt }) =>
            kind === "payment" && chainId === beta.chainId && recoveredAt === null
          )
      )
      yield* beta.request("anvil_setCode", [recipient, "0xfe"])
      yield* resumeMining(beta)
      assert.strictEqual((yield* resume(url, beta.chainId)).status, 200)
      yield* eventually("somebody is told", alarms(url, "unrefundable"), (count) => count === 1)
      yield* eventually(
        "the log says so",
        Effect.sync(host.output),
        (text) => text.includes(`${ETH.some} of the deposit`)
      )
      yield* eventually("the log says so", Effect.sync(host.output), (text) => text.includes(`are owed to ${refundTo}`))
      yield* eventually("the deposit is closed", closed(url, "unrefundable"), (count) => count === 1)
      assert.deepStrictEqual([yield* balanceOf(alpha, refundTo), yield* balanceOf(beta, recipient)], [excess, 0n])
      const [request] = yield* requestsOf(url, depositAddress)
      assert.deepStrictEqual(request?.data.refunds.map(({ refunded }) => refunded).toSorted(), [`${excess}`, null])
      yield* stop
    })))
})

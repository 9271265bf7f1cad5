/**
 * The dashboard in a headless Chromium, over a real host on local chains, with a wallet of the public interface: what
 * operators and integrators do there, by mouse and keyboard, on a phone, in the dark, and read out.
 *
 * CAUSEWAY_PICTURES=<folder> keeps screenshots for people to look at.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { requireChromium } from "../../../../scripts/testing/Capability.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { runCommand } from "../../../cli/testing/RunCommand.ts"
import { buildWhenStale } from "../../dashboard/Build.ts"
import { changeBeside } from "../../testing/BesideStore.ts"
import { desktop, startBrowser } from "../../testing/Browser.ts"
import type { Tab } from "../../testing/Browser.ts"
import { answerWallet, walletScript } from "../../testing/BrowserWallet.ts"
import { ended, execute, nativeRequest, post, quote } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { tabTo, walkByKeyboard } from "../../testing/Keyboard.ts"
import { assertQuiet, lookAt } from "../../testing/LookAt.ts"
import { eventually } from "../../testing/Misbehaving.ts"
import { addSponsors } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import { keyAt } from "../../testing/TestChains.ts"
import { USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const chromium = requireChromium()

const ADMIN_TOKEN = "an admin token of at least 32 characters"

class Running extends fixtureOf<Running>()(
  "test/DashboardPage",
  Effect.gen(function*() {
    yield* Effect.promise(buildWhenStale)
    const fixture = yield* startFixture(
      Effect.tap(startNetwork, (network) =>
        addSponsors(network.store, [{
          id: "sponsoring",
          wallet: privateKeyToAccount(keyAt(network.chains, 0)).address.toLowerCase(),
          balance: 50_000_000n
        }])),
      { settings: { ADMIN_TOKEN } }
    )
    return { ...fixture, browser: yield* startBrowser(chromium ?? "") }
  })
) {}

const says = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`
const heading = (text: string) => `document.querySelector("h1")?.innerText === ${JSON.stringify(text)}`

/** Clicks the button or link with this text or label. */
const click = Effect.fnUntraced(function*(tab: Tab, text: string) {
  const find =
    `[...document.querySelectorAll("button, a")].find((each) => each.ariaDisabled !== 'true' && (each.innerText.trim() === ${
      JSON.stringify(text)
    } || each.getAttribute("aria-label") === ${JSON.stringify(text)}))`
  yield* tab.until(find)
  yield* tab.evaluate(`${find}.click()`)
})

/** Types into the field with this label, as a person's input arrives. */
const fill = Effect.fnUntraced(function*(tab: Tab, label: string, value: string) {
  const find = `[...document.querySelectorAll("label")].find((each) => each.innerText === ${
    JSON.stringify(label)
  })?.control`
  yield* tab.until(find)
  yield* tab.evaluate(`(() => {
    const field = ${find}
    field.focus()
    field.value = ${JSON.stringify(value)}
    field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", { bubbles: true }))
  })()`)
})

/** Looks at a page, and walks it by keyboard. */
const see = (tab: Tab, name: string) => Effect.andThen(lookAt(tab, name), walkByKeyboard(tab))

/** Who has the focus, in the words of a person. */
const hasFocus = (selector: string, text: string) =>
  `document.activeElement.matches(${
    JSON.stringify(selector)
  }) && (document.activeElement.ariaLabel ?? document.activeElement.innerText) === ${JSON.stringify(text)}`

/** A click by a script is no gesture, so the browser would skip the entries of history that it makes. */
const isOfScriptedClicks = (complaint: string) => complaint.includes("NavigationEntryMarkedSkippable")

describe.skipIf(chromium === undefined)("the dashboard", () => {
  layer(Running.layer, { excludeTestServices: true })((it) => {
    const open = Effect.fnUntraced(function*() {
      const { browser, url } = yield* Running
      const tab = yield* browser.open(`${url}/dashboard`, desktop, { before: walletScript })
      // A case that failed may have left its session.
      yield* tab.until("document.querySelector('h1')")
      if ((yield* tab.evaluate(heading("Sign in"))) !== true) yield* click(tab, "Sign out")
      yield* tab.until(heading("Sign in"))
      tab.heard.complaints.length = 0
      return tab
    })

    it.effect("an operator signs in, sees the chains, pauses one and resumes it, and signs out", () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const tab = yield* open()
        yield* see(tab, "sign-in")
        yield* fill(tab, "Admin token", "not the admin token, but as long as one")
        yield* click(tab, "Sign in as operator")
        yield* tab.until(says("this is not the admin token of this service"))
        // The browser itself reports each refusal.
        tab.heard.complaints.length = 0
        // By keyboard: Enter sends the form.
        yield* fill(tab, "Admin token", ADMIN_TOKEN)
        yield* tab.press("Enter")
        yield* tab.until(heading("Overview"))
        yield* tab.until(says("alpha"))
        yield* see(tab, "overview")
        // Nothing that a script could read holds a secret.
        const kept = String(
          yield* tab.evaluate(
            "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.body.innerHTML])"
          )
        )
        assert.notInclude(kept, ADMIN_TOKEN)
        assert.notInclude(kept, "cwo_")
        const [cookie] = (yield* tab.cookies) as ReadonlyArray<Readonly<Record<string, unknown>>>
        assert.deepInclude(cookie, { name: "causeway-dashboard", httpOnly: true, sameSite: "Strict" })

        yield* click(tab, "Pauses")
        yield* tab.until(heading("Pauses"))
        yield* tab.until("document.activeElement === document.querySelector('h1')")
        yield* fill(tab, "Reason", "<img src=x onerror=alert(1)>")
        yield* click(tab, "Pause now")
        yield* tab.until(says("<img src=x onerror=alert(1)>"))
        yield* see(tab, "pauses")
        yield* click(tab, "Resume chain:616101")
        yield* click(tab, "Yes")
        yield* tab.until(says("Nothing is paused."))
        yield* tab.until(says("Resumed chain:616101."))

        yield* click(tab, "Inventory")
        yield* tab.until(says("What the solver holds"))
        yield* see(tab, "money")
        yield* click(tab, "Keys")
        yield* fill(tab, "Name", "an operator's key")
        yield* click(tab, "Make key")
        yield* tab.until("document.querySelector('.secret code')?.innerText.startsWith('cwk_')")
        yield* see(tab, "operator-keys")
        yield* click(tab, "an operator's key")
        yield* tab.until(heading("an operator's key"))
        yield* tab.until(says("Spent today"))
        yield* see(tab, "operator-key")
        yield* click(tab, "Sign out")
        yield* tab.until(heading("Sign in"))
        assert.deepStrictEqual(yield* tab.cookies, [])
        assertQuiet(tab, url, isOfScriptedClicks)
        yield* tab.close
      }))

    it.effect("an operator without a mouse pauses a currency and a route, and resumes them; the focus is never lost", () =>
      Effect.gen(function*() {
        const { chains, url, user } = yield* Running
        const tab = yield* open()
        yield* tabTo(tab, "Admin token")
        yield* tab.type(ADMIN_TOKEN)
        yield* tab.press("Enter")
        yield* tab.until(heading("Overview"))
        // A button keeps the focus while it runs, and afterwards.
        yield* tabTo(tab, "Refresh")
        const looked =
          `performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/admin/losses")).length`
        const before = Number(yield* tab.evaluate(looked))
        yield* tab.press("Space")
        yield* tab.until(`${looked} > ${before} && document.querySelector("button[aria-disabled=true]") === null`)
        yield* tab.evaluate("new Promise(requestAnimationFrame)")
        assert.isTrue(yield* tab.evaluate(hasFocus("button", "Refresh")))
        yield* tabTo(tab, "Pauses")
        yield* tab.press("Enter")
        yield* tab.until(hasFocus("h1", "Pauses"))
        const refusal = Effect.map(
          post(`${url}/quote`, nativeRequest(user(2), chains.alpha, chains.beta, parseEther("0.1"))),
          ({ status, text }) => status === 200 ? "none" : /[A-Z_]{5,}/u.exec(text)?.[0]
        )
        const cases = [
          { kind: "currency", id: `currency:${chains.alpha.chainId}:0x${"0".repeat(40)}` },
          { kind: "route", id: `route:${chains.alpha.chainId}:all:${chains.beta.chainId}:all` }
        ]
        for (const { id, kind } of cases) {
          yield* tabTo(tab, "Pause")
          yield* tab.press("ArrowDown")
          if (kind === "route") {
            yield* tabTo(tab, "To")
            yield* tab.press("ArrowDown")
          }
          yield* tabTo(tab, "Reason")
          yield* tab.type(`a ${kind} without a mouse`)
          yield* tab.press("Enter")
          yield* tab.until(says(`Paused ${id}.`))
          yield* tab.until(says(`a ${kind} without a mouse`))
          yield* tab.until(hasFocus("input", ""))
          assert.strictEqual(yield* refusal, "CHAIN_DISABLED")

          yield* tabTo(tab, `Resume ${id}`)
          yield* tab.press("Enter")
          yield* tab.until(hasFocus(".asking", `Resume ${id}?`))
          yield* tab.press("Escape")
          yield* tab.until(hasFocus("button", `Resume ${id}`))
          yield* tab.press("Space")
          yield* tabTo(tab, "No")
          yield* tab.press("Space")
          yield* tab.until(hasFocus("button", `Resume ${id}`))
          yield* tab.press("Enter")
          yield* tabTo(tab, "Yes")
          yield* tab.press("Enter")
          yield* tab.until(says(`Resumed ${id}.`))
          yield* tab.until(says("Nothing is paused."))
          // The button is gone with its row: the heading above it has the focus.
          yield* tab.until(hasFocus("h2", "Paused now"))
          assert.strictEqual(yield* refusal, "none")
        }
        yield* tabTo(tab, "Sign out")
        yield* tab.press("Space")
        yield* tab.until(hasFocus("h1", "Sign in"))
        assertQuiet(tab, url)
        yield* tab.close
      }))

    it.effect("an integrator signs in with a wallet, pays in, and lives with a key from making to revoking", () =>
      Effect.gen(function*() {
        const { chains, key, url } = yield* Running
        const tab = yield* open()
        const asked = yield* answerWallet(tab, { key: key(0), rpcUrl: chains.beta.url })
        yield* click(tab, "Sign in with Test Wallet")
        yield* tab.until(heading("Balance"))
        yield* tab.until(says("50 USDC"))
        yield* see(tab, "balance")
        yield* fill(tab, "USDC to pay in", "12.5")
        yield* click(tab, "Pay in with this wallet")
        yield* tab.until(says("It counts when its block is final"))
        yield* tab.until(`(() => {
          if (document.body.innerText.includes("62.5 USDC")) return true
          const refresh = [...document.querySelectorAll("button")].find((each) => each.innerText === "Refresh")
          refresh?.click()
          return false
        })()`)
        yield* tab.until(says("paid in"))

        yield* click(tab, "Keys")
        yield* tab.until(heading("API keys"))
        yield* fill(tab, "Name", "my app")
        yield* click(tab, "Make key")
        yield* tab.until("document.querySelector('.secret code')?.innerText.startsWith('cwk_')")
        const text = String(yield* tab.evaluate("document.querySelector('.secret code').innerText"))
        yield* see(tab, "keys")
        yield* click(tab, "I have kept it")
        yield* tab.until(`!document.body.innerHTML.includes(${JSON.stringify(text)})`)
        yield* click(tab, "my app")
        yield* tab.until(heading("my app"))
        yield* click(tab, "Link this wallet")
        yield* tab.until(says("This key spends the app balance of"))
        yield* fill(tab, "A day (UTC)", "20.50")
        yield* tab.press("Enter")
        yield* tab.until(says("Saved."))
        // As the service has it, and the focus is where it was.
        assert.strictEqual(yield* tab.evaluate("document.activeElement.value"), "20.5")
        yield* see(tab, "key")

        // The key works: a sponsored transfer of a user, as the page of the dashboard says.
        const paying = ["--from", "alpha", "--to", "beta", "--amount", "0.1", "--sponsored", "--trust"]
        const paid = yield* runCommand(
          ["transfer", ...paying, "--url", url, "--rpc-url", chains.alpha.url],
          { API_KEY: text, WALLET_PRIVATE_KEY: key(1) }
        )
        assert.strictEqual(paid.code, 0, paid.error)
        assert.match(`${paid.error}${paid.out}`, /^ *delivers +0\.1 ETH/mu)
        yield* click(tab, "Requests")
        yield* tab.until(says("success"))
        yield* see(tab, "requests")
        yield* click(tab, "Costs")
        // Captured once the fill is final.
        yield* tab.until(
          "document.querySelector('canvas') && !document.body.innerText.includes('0 USDC\\nRequests\\n0') || (document.querySelector('a[href=\"#/requests\"]').click(), setTimeout(() => document.querySelector('a[href=\"#/costs\"]').click(), 200), false)"
        )
        yield* tab.until(says("execution"))
        yield* see(tab, "costs")
        yield* fill(tab, "By", "route")
        yield* tab.until(says("Local Alpha to Local Beta"))
        yield* fill(tab, "By", "key")
        yield* tab.until(says("my app"))
        yield* click(tab, "Requests")
        yield* fill(tab, "Status", "failure")
        yield* tab.until(says("No request of this key is like that."))

        yield* click(tab, "Keys")
        yield* click(tab, "my app")
        yield* click(tab, "Rotate")
        yield* tab.until("document.querySelector('.secret code')?.innerText.startsWith('cwk_')")
        yield* click(tab, "I have kept it")
        yield* click(tab, "Revoke")
        yield* click(tab, "Yes")
        yield* tab.until(says("revoked"))
        assert.includeMembers(asked, ["eth_requestAccounts", "personal_sign", "eth_sendTransaction"])
        assertQuiet(tab, url, isOfScriptedClicks)
        yield* tab.close
      }))

    it.effect("a key's webhooks are made, told, and told again; unspent balance is withdrawn", () =>
      Effect.gen(function*() {
        const { chains, key, url, user } = yield* Running
        const tab = yield* open()
        const asked = yield* answerWallet(tab, { key: key(0), rpcUrl: chains.beta.url })
        yield* click(tab, "Sign in with Test Wallet")
        yield* tab.until(heading("Balance"))
        yield* click(tab, "Keys")
        yield* fill(tab, "Name", "hooked")
        yield* click(tab, "Make key")
        yield* tab.until("document.querySelector('.secret code')?.innerText.startsWith('cwk_')")
        const text = String(yield* tab.evaluate("document.querySelector('.secret code').innerText"))
        let heard = 0
        const receiver = createServer((_, response) => {
          heard += 1
          response.end()
        })
        yield* Effect.acquireRelease(
          Effect.callback<void>((resume) => void receiver.listen(0, "127.0.0.1", () => resume(Effect.void))),
          () => Effect.sync(() => void receiver.close())
        )
        const { port } = receiver.address() as AddressInfo
        yield* click(tab, "Webhooks")
        yield* tab.until("document.querySelector('option')")
        const id = yield* tab.evaluate(
          "[...document.querySelectorAll('option')].find((each) => each.innerText.startsWith('hooked'))?.value"
        )
        yield* fill(tab, "Key", String(id))
        yield* tab.until(says("This key has no webhooks."))
        yield* fill(tab, "URL", `http://127.0.0.1:${port}/<img src=x onerror=alert(1)>`)
        yield* click(tab, "Add webhook")
        yield* tab.until(says("The secret that deliveries are signed with."))
        yield* click(tab, "I have kept it")
        const quoted = yield* quote(url, {
          user: user(1),
          originChainId: chains.alpha.chainId,
          destinationChainId: chains.beta.chainId,
          originCurrency: "0x0000000000000000000000000000000000000000",
          destinationCurrency: "0x0000000000000000000000000000000000000000",
          amount: "100000000000000000",
          tradeType: "EXACT_INPUT",
          appFees: [{ recipient: privateKeyToAccount(key(0)).address, fee: "100" }]
        }, { "x-api-key": text })
        yield* execute(chains.alpha, key(1), quoted)
        yield* tab.until(`(() => {
          if (document.body.innerText.includes("200 in")) return true
          const refresh = [...document.querySelectorAll("button")].find((each) => each.innerText === "Refresh")
          refresh?.click()
          return false
        })()`)
        yield* see(tab, "webhooks")
        const before = heard
        yield* tab.evaluate(
          "[...document.querySelectorAll('button')].find((each) => each.innerText === 'Send again').click()"
        )
        yield* Effect.repeat(Effect.sleep(50), { until: () => Effect.succeed(heard > before) })

        yield* click(tab, "Balance")
        yield* tab.until(heading("Balance"))
        yield* fill(tab, "Amount, USDC", "10")
        yield* click(tab, "Withdraw")
        yield* tab.until(says("Accepted: "))
        yield* click(tab, "App fees")
        yield* tab.until(heading("App fees"))
        // Earned once the fill is final.
        yield* tab.until(
          "document.body.innerText.includes('Local Alpha') || (document.querySelector('a[href=\"#/keys\"]').click(), setTimeout(() => document.querySelector('a[href=\"#/fees\"]').click(), 200), false)"
        )
        yield* see(tab, "fees")
        yield* click(tab, "Claim")
        // The form is gone with what was claimed; what became of it stays.
        yield* tab.until(says("There are no app fees to claim."))
        yield* tab.until(says("Accepted: 0.001 ETH"))
        yield* click(tab, "Balance")
        yield* tab.until(says("claimed app fees"))
        assert.include(asked, "eth_signTypedData_v4")
        assertQuiet(tab, url, isOfScriptedClicks)
        yield* tab.close
      }))

    it.effect("a sponsor pays the app fees that it owes, and a key that is unlinked no longer spends", () =>
      Effect.gen(function*() {
        const { chains, key, url, user } = yield* Running
        const tab = yield* open()
        const asked = yield* answerWallet(tab, { key: key(0), rpcUrl: chains.beta.url })
        yield* click(tab, "Sign in with Test Wallet")
        yield* tab.until(heading("Balance"))
        yield* click(tab, "Keys")
        yield* fill(tab, "Name", "sponsoring app")
        yield* click(tab, "Make key")
        yield* tab.until("document.querySelector('.secret code')?.innerText.startsWith('cwk_')")
        const text = String(yield* tab.evaluate("document.querySelector('.secret code').innerText"))
        yield* click(tab, "sponsoring app")
        yield* click(tab, "Link this wallet")
        yield* tab.until(says("Linked: this wallet pays for the key."))
        const recipients = [user(4), user(5)]
        const body = {
          user: user(1),
          originChainId: chains.alpha.chainId,
          destinationChainId: chains.beta.chainId,
          originCurrency: USDC.address,
          destinationCurrency: USDC.address,
          amount: "10000000",
          tradeType: "EXACT_INPUT",
          subsidizeFees: true,
          maxSubsidizationAmount: "5000000",
          appFees: recipients.map((recipient, index) => ({ recipient, fee: `${200 + 100 * index}` }))
        }
        const quoted = yield* quote(url, body, { "x-api-key": text })
        yield* execute(chains.alpha, key(1), quoted)
        yield* ended(url, quoted)
        yield* eventually("the sponsorship is settled", actualOf(url, quoted), (settled) => settled !== undefined)
        yield* click(tab, "App fees")
        yield* tab.until(heading("App fees"))
        const labels = recipients.map((recipient) =>
          `Amount, USDC on Local Beta, to ${recipient.toLowerCase().slice(0, 8)}…${recipient.toLowerCase().slice(-6)}`
        )
        const valueOf = (label: string) =>
          `[...document.querySelectorAll("label")].find((each) => each.innerText === ${
            JSON.stringify(label)
          })?.control.value`
        yield* tab.until(`${valueOf(labels[0] ?? "")} === "0.2" && ${valueOf(labels[1] ?? "")} === "0.3"`)
        yield* see(tab, "fees-owed")
        // The second debt, whole; then a part of the first.
        yield* fill(tab, labels[1] ?? "", "0.3")
        yield* tab.press("Enter")
        yield* tab.until(says(`Paid: 0.3 USDC to ${recipients[1]?.toLowerCase()}.`))
        yield* tab.until(`${valueOf(labels[1] ?? "")} === undefined && ${valueOf(labels[0] ?? "")} === "0.2"`)
        yield* tab.until(hasFocus("h2", "Owed by this wallet"))
        yield* fill(tab, labels[0] ?? "", "0.15")
        yield* tab.press("Enter")
        yield* tab.until(says(`Paid: 0.15 USDC to ${recipients[0]?.toLowerCase()}.`))
        yield* tab.until(`${valueOf(labels[0] ?? "")} === "0.05"`)
        yield* see(tab, "fees-paid")
        for (const [index, amount] of [150_000, 300_000].entries()) {
          const { claimable } = (yield* get(`${url}/app-fees/${recipients[index]}/balances`)).json() as {
            readonly claimable: ReadonlyArray<{ readonly amount: string }>
          }
          assert.deepStrictEqual(claimable.map((each) => each.amount), [`${amount}`])
        }

        yield* click(tab, "Keys")
        yield* click(tab, "sponsoring app")
        yield* click(tab, "Unlink")
        yield* click(tab, "Yes")
        yield* tab.until(says("Unlinked: no wallet pays for the key."))
        yield* tab.until(says("No wallet pays for this key's users."))
        yield* see(tab, "key-unlinked")
        const refused = yield* post(`${url}/quote`, body, { "x-api-key": text })
        assert.strictEqual(refused.status, 400, refused.text)
        yield* click(tab, "Keys")
        yield* click(tab, "sponsoring")
        yield* tab.until(heading("sponsoring"))
        yield* click(tab, "Unlink")
        yield* click(tab, "Yes")
        // The operator's key: this wallet only paid for it, so its page is gone, and what became of it stays.
        yield* tab.until(heading("There is no such key of this wallet"))
        yield* tab.until(says("Unlinked: no wallet pays for the key."))
        assert.include(asked, "eth_signTypedData_v4")
        assertQuiet(tab, url, isOfScriptedClicks)
        yield* tab.close
      }))

    it.effect("an operator sees what is stuck and halted, retries the one, and resumes the other", () =>
      Effect.gen(function*() {
        const { chains, key, store, url, user } = yield* Running
        const quoted = yield* quote(url, nativeRequest(user(1), chains.alpha, chains.beta, parseEther("0.1")))
        yield* execute(chains.alpha, key(1), quoted)
        yield* ended(url, quoted)
        const id = quoted.steps[0]?.requestId ?? assert.fail("no step")
        // As after a final block was replaced, with a request that waits since the epoch.
        yield* changeBeside(store, (rows) => {
          rows.prepare("UPDATE transfers SET status = 'delayed', updated_at = 1 WHERE id = ?").run(id)
          rows.prepare("INSERT INTO pauses (id, scope, reason, created_at) VALUES (?, ?, ?, ?)").run(
            "halt:616102",
            JSON.stringify({ _tag: "Halt", chainId: 616102, height: "7", expected: "0x01", found: "0x02" }),
            "a final block was replaced",
            1
          )
        })
        const tab = yield* open()
        yield* fill(tab, "Admin token", ADMIN_TOKEN)
        yield* tab.press("Enter")
        yield* tab.until(says("a request is stuck"))
        yield* tab.until(says("halt:616102: a final block was replaced"))
        yield* see(tab, "overview-alarms")
        yield* click(tab, `Retry ${id}`)
        yield* tab.until(says("Retried 0x"))
        yield* changeBeside(store, (rows) => {
          rows.prepare("UPDATE transfers SET status = 'success' WHERE id = ?").run(id)
        })
        yield* click(tab, "Pauses")
        yield* click(tab, "Resume halt:616102")
        yield* click(tab, "Yes")
        yield* tab.until(says("Nothing is paused."))
        yield* click(tab, "Overview")
        yield* tab.until("[...document.querySelectorAll('.state')].some((each) => each.innerText === 'yes')")
        yield* tab.until(`!${says("a request is stuck")} && !${says("halt:616102")}`)
        assertQuiet(tab, url, isOfScriptedClicks)
        yield* tab.close
      }))

    it.effect("is one origin's own: framed nowhere, and nothing injected runs", () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const tab = yield* open()
        const stopped = yield* tab.evaluate(`new Promise((resolve) => {
          const seen = []
          addEventListener("securitypolicyviolation", ({ effectiveDirective }) => { seen.push(effectiveDirective); if (seen.length === 4) resolve(seen.toSorted()) })
          const script = document.createElement("script")
          script.textContent = "window.intruder = true"
          const image = new Image()
          image.src = "http://127.0.0.1:9/x.png"
          const frame = document.createElement("iframe")
          frame.src = ${JSON.stringify(`${url}/dashboard`)}
          document.body.append(script, image, frame)
          fetch("http://127.0.0.1:9/").catch(() => {})
        })`)
        assert.deepStrictEqual(stopped, ["connect-src", "frame-src", "img-src", "script-src-elem"])
        assert.strictEqual(yield* tab.evaluate("window.intruder"), undefined)
        const page = yield* Effect.promise(() => fetch(`${url}/dashboard`))
        assert.include(page.headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")
        const etag = page.headers.get("etag") ?? ""
        const again = yield* Effect.promise(() => fetch(`${url}/dashboard`, { headers: { "if-none-match": etag } }))
        assert.strictEqual(again.status, 304)
        yield* tab.close
      }))
  })
})

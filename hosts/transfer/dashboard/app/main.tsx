/** The entry of the dashboard in a browser. */
import { render } from "preact"
import { App } from "./App.tsx"

const place = document.querySelector("#app")
if (place !== null) {
  place.replaceChildren()
  render(<App />, place)
}

/** A plot of stacked bars by day. The numbers are in a table beside it, for those who do not see it. */
import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from "chart.js"
import { useEffect, useRef } from "preact/hooks"

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip)

/** Told apart also without colour vision, on light and dark. */
const colours = ["#2f7f6b", "#c98a2b", "#4f7fc4", "#a1528f", "#7a8a3a", "#c25b4e", "#5b6f7a", "#8a6d4b"]

export interface Series {
  readonly name: string
  /** One for each day. Dollars; for drawing only, so a float will do. */
  readonly values: ReadonlyArray<number>
}

interface PlotProps {
  /** What the plot shows, read out. */
  readonly label: string
  readonly days: ReadonlyArray<string>
  readonly unit: string
  readonly series: ReadonlyArray<Series>
}

const coloursOfPage = () => {
  const style = getComputedStyle(document.documentElement)
  return { ink: style.getPropertyValue("--ink").trim(), line: style.getPropertyValue("--line").trim() }
}

/** `26 Nov`, in the reader's language. */
const shortDay = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { day: "numeric", month: "short", timeZone: "UTC" })

export const Plot = ({ days, label, series, unit }: PlotProps) => {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (canvas.current === null) return undefined
    const { ink, line } = coloursOfPage()
    const axis = { stacked: true, ticks: { color: ink, maxRotation: 0, autoSkipPadding: 12 }, grid: { color: line } }
    const chart = new Chart(canvas.current, {
      type: "bar",
      data: {
        labels: days.map(shortDay),
        datasets: series.map(({ name, values }, index) => ({
          label: name,
          data: [...values],
          backgroundColor: colours[index % colours.length] ?? "#2f7f6b"
        }))
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        scales: { x: axis, y: { ...axis, title: { display: true, text: unit, color: ink } } },
        plugins: { legend: { labels: { color: ink, boxWidth: 12 } } }
      }
    })
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    const repaint = () => {
      const now = coloursOfPage()
      for (const each of [chart.options.scales?.["x"], chart.options.scales?.["y"]]) {
        if (each?.ticks !== undefined) each.ticks.color = now.ink
        if (each?.grid !== undefined) each.grid.color = now.line
        if (each !== undefined && "title" in each && each.title !== undefined) each.title.color = now.ink
      }
      const labels = chart.options.plugins?.legend?.labels
      if (labels !== undefined) labels.color = now.ink
      chart.update()
    }
    scheme.addEventListener("change", repaint)
    return () => {
      scheme.removeEventListener("change", repaint)
      chart.destroy()
    }
  }, [days, series, unit])
  return (
    <div class="plot">
      <canvas ref={canvas} role="img" aria-label={label}></canvas>
    </div>
  )
}

// Light, dark, or as the system is: the choice is this browser's.

const NAME = "sluice-theme"

export function showTheme(): void {
  const chosen = localStorage.getItem(NAME)
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset["theme"] = chosen
}

export function changeTheme(): void {
  const { dataset } = document.documentElement
  const isDark = (dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
  dataset["theme"] = isDark ? "light" : "dark"
  localStorage.setItem(NAME, dataset["theme"])
}

// Runs before the first paint: a page with a chosen theme does not begin in the other one.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // Not allowed to store: the theme of the system.
}

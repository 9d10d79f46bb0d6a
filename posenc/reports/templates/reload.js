const button = document.getElementById("hold");
let held = false;
try { held = sessionStorage.getItem("held") === "yes"; } catch (error) { held = false; }
function show() {
  button.setAttribute("aria-pressed", held);
  document.getElementById("state").textContent = held ? "Held." : "Renews itself every 10 seconds.";
}
button.addEventListener("click", () => {
  held = !held;
  try { sessionStorage.setItem("held", held ? "yes" : "no"); } catch (error) { /* as it is */ }
  show();
});
show();
setInterval(() => {
  const used = ![document.body, button, null].includes(document.activeElement);
  if (!held && !used && getSelection().isCollapsed) location.reload();
}, 10000);

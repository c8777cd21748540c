/** An element with classes and children. Strings become text nodes: nothing here ever parses HTML. */
export function el(tag, classes = "", ...children) {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  element.append(...children);
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

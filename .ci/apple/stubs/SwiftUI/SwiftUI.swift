// The part of SwiftUI that the examples use, after developer.apple.com/documentation/swiftui.
@_exported import Foundation
@_exported import Observation

// MARK: Apps and views

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}
extension App {
  @MainActor @preconcurrency public static func main() {}
}
@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}
@resultBuilder public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup<Content: View>: Scene {
  nonisolated public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}
extension Never: View, Scene {
  public var body: Never { return fatalError() }
}
@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> { TupleView((repeat each content)) }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> _ConditionalContent<First, Second> { _ConditionalContent() }
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> _ConditionalContent<First, Second> { _ConditionalContent() }
}

/// A view without a body of its own.
public protocol _PrimitiveView: View where Body == Never {}
extension _PrimitiveView {
  public var body: Never { fatalError() }
}
extension Optional: View where Wrapped: View {
  public var body: Never { fatalError() }
}
public struct EmptyView: _PrimitiveView {
  nonisolated public init() {}
}
public struct TupleView<T>: _PrimitiveView {
  nonisolated public init(_ value: T) {}
}
public struct _ConditionalContent<First: View, Second: View>: _PrimitiveView {
  nonisolated init() {}
}

// MARK: State

@propertyWrapper public struct Binding<Value> {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
}
extension Binding: @unchecked Sendable where Value: Sendable {}
@propertyWrapper public struct State<Value> {
  public init(wrappedValue value: Value) {}
  public init(initialValue value: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
}
extension State where Value: ExpressibleByNilLiteral {
  public init() {}
}
extension State: Sendable where Value: Sendable {}
@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
  public init(wrappedValue: Value) where Value: AnyObject & Observable {}
  public var wrappedValue: Value {
    get { fatalError() }
    set {}
  }
  public var projectedValue: Bindable<Value> { self }
  public subscript<Subject>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
  ) -> Binding<Subject> where Value: AnyObject { fatalError() }
}
public struct EnvironmentValues {
  public var dismiss: DismissAction { DismissAction() }
}
@MainActor @preconcurrency public struct DismissAction {
  nonisolated init() {}
  public func callAsFunction() {}
}
@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}
extension Environment {
  public init(_ objectType: Value.Type) where Value: AnyObject & Observable {}
}

// MARK: Text and controls

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {}
}
public struct Text: _PrimitiveView, Equatable {
  nonisolated public init(
    _ key: LocalizedStringKey, tableName: String? = nil, bundle: Bundle? = nil,
    comment: StaticString? = nil
  ) {}
  @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S) {}
}
public struct Image: _PrimitiveView, Equatable {
  nonisolated public init(systemName: String) {}
}
public struct Label<Title: View, Icon: View>: _PrimitiveView {
  nonisolated init() {}
}
extension Label where Title == Text, Icon == Image {
  nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) {}
}
public struct ButtonRole: Equatable, Sendable {
  public static let destructive = ButtonRole()
  public static let cancel = ButtonRole()
}
public struct Button<Label: View>: _PrimitiveView {
  nonisolated init() {}
}
extension Button where Label == Text {
  nonisolated public init(
    _ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void
  ) {}
  nonisolated public init(
    _ titleKey: LocalizedStringKey, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) {}
}
extension Button where Label == SwiftUI.Label<Text, Image> {
  nonisolated public init(
    _ titleKey: LocalizedStringKey, systemImage: String, action: @escaping @MainActor () -> Void
  ) {}
}
public protocol PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
  public static var borderedProminent: BorderedProminentButtonStyle {
    BorderedProminentButtonStyle()
  }
}
public struct Toggle<Label: View>: _PrimitiveView {
  nonisolated init() {}
}
extension Toggle where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, isOn: Binding<Bool>) {}
}
public struct TextField<Label: View>: _PrimitiveView {
  nonisolated init() {}
}
extension TextField where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {}
}
public struct ProgressView<Label: View, CurrentValueLabel: View>: _PrimitiveView {
  nonisolated public init() where Label == EmptyView, CurrentValueLabel == EmptyView {}
}
public struct ContentUnavailableView<Label: View, Description: View, Actions: View>: _PrimitiveView
{
  nonisolated public init(
    @ViewBuilder label: () -> Label,
    @ViewBuilder description: () -> Description = { EmptyView() },
    @ViewBuilder actions: () -> Actions = { EmptyView() }
  ) {}
}
extension ContentUnavailableView
where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
  nonisolated public init(
    _ title: LocalizedStringKey, systemImage name: String, description: Text? = nil
  ) {}
}

// MARK: Layout and navigation

public enum HorizontalAlignment: Sendable {
  case leading, center, trailing
}
public enum VerticalAlignment: Sendable {
  case top, center, bottom
}
public enum VerticalEdge: Sendable {
  case top, bottom
}
public enum HorizontalEdge: Sendable {
  case leading, trailing
}
public struct Alignment: Equatable, Sendable {
  public static let center = Alignment()
}
public struct Edge: Sendable {
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let all = Set(rawValue: 15)
  }
}
public struct HStack<Content: View>: _PrimitiveView {
  nonisolated public init(
    alignment: VerticalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) {}
}
public struct VStack<Content: View>: _PrimitiveView {
  nonisolated public init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) {}
}
public struct Spacer: _PrimitiveView {
  nonisolated public init(minLength: CGFloat? = nil) {}
}
public struct Group<Content: View>: _PrimitiveView {
  nonisolated public init(@ViewBuilder content: () -> Content) {}
}
public struct Form<Content: View>: _PrimitiveView {
  nonisolated public init(@ViewBuilder content: () -> Content) {}
}
public struct Section<Parent: View, Content: View, Footer: View>: _PrimitiveView {
  nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content)
  where Parent == Text, Footer == EmptyView {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  nonisolated init() {}
}
extension ForEach: View, _PrimitiveView where Content: View {}
extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
  nonisolated public init(
    _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
}
public struct List<SelectionValue: Hashable, Content: View>: _PrimitiveView {
  nonisolated init() {}
}
extension List where SelectionValue == Never {
  nonisolated public init(@ViewBuilder content: () -> Content) {}
}
extension List {
  nonisolated public init<Data: RandomAccessCollection, RowContent: View>(
    _ data: Data, selection: Binding<SelectionValue?>?,
    @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
  ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {}
}
public struct NavigationStack<Data, Root: View>: _PrimitiveView {
  nonisolated public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {}
}
public struct NavigationPath {}
public struct NavigationSplitView<Sidebar: View, Content: View, Detail: View>: _PrimitiveView {
  nonisolated public init(
    @ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail
  ) where Content == EmptyView {}
}
public struct NavigationLink<Label: View, Destination: View>: _PrimitiveView {
  nonisolated init() {}
}
extension NavigationLink where Label == Text, Destination == Never {
  @_disfavoredOverload nonisolated public init<S: StringProtocol, P: Hashable>(
    _ title: S, value: P?
  ) {}
}

// MARK: Modifiers

public protocol ShapeStyle: Sendable {}
public struct Color: ShapeStyle, Hashable {}
extension ShapeStyle where Self == Color {
  public static var red: Color { Color() }
}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}
extension View {
  nonisolated public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
    EmptyView()
  }
  nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { EmptyView() }
  nonisolated public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { EmptyView() }
  nonisolated public func task<T: Equatable>(
    id value: T, priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @Sendable () async -> Void
  ) -> some View { EmptyView() }
  nonisolated public func refreshable(
    action: @escaping @Sendable () async -> Void
  ) -> some View { EmptyView() }
  nonisolated public func onSubmit(_ action: @escaping () -> Void) -> some View { EmptyView() }
  nonisolated public func sheet<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View { EmptyView() }
  nonisolated public func alert<A: View>(
    _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
  ) -> some View { EmptyView() }
  nonisolated public func toolbar<Content: View>(
    @ViewBuilder content: () -> Content
  ) -> some View { EmptyView() }
  nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View {
    EmptyView()
  }
  @_disfavoredOverload nonisolated public func navigationTitle<S: StringProtocol>(
    _ title: S
  ) -> some View { EmptyView() }
  nonisolated public func overlay<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View { EmptyView() }
  nonisolated public func safeAreaInset<V: View>(
    edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> V
  ) -> some View { EmptyView() }
  nonisolated public func swipeActions<T: View>(
    edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T
  ) -> some View { EmptyView() }
  nonisolated public func contextMenu<MenuItems: View>(
    @ViewBuilder menuItems: () -> MenuItems
  ) -> some View { EmptyView() }
  nonisolated public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View {
    EmptyView()
  }
  nonisolated public func disabled(_ disabled: Bool) -> some View { EmptyView() }
  nonisolated public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { EmptyView() }
  nonisolated public func padding(
    _ edges: Edge.Set = .all, _ length: CGFloat? = nil
  ) -> some View { EmptyView() }
  nonisolated public func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
    EmptyView()
  }
}

; The installer of headscope for one user: no administrator is asked. Needs FOLDER (what it
; installs), VERSION and OUT (its own file), by -D.
Target amd64-unicode
SetCompressor /SOLID lzma
SetCompressorDictSize 64
Name "headscope"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\headscope"
ManifestDPIAware true

!include "MUI2.nsh"
!define MUI_ICON "headscope.ico"
!define MUI_UNICON "headscope.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\headscope.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

!define REMOVAL "Software\Microsoft\Windows\CurrentVersion\Uninstall\headscope"
!define CLASSES "Software\Classes"

; Windows knows files by their last ending alone, so a session (.headscope.json) is a .json file to
; it: headscope is offered under "Open with", and no program loses its files.
!macro EachEnding action
  !insertmacro ${action} ".json"
  !insertmacro ${action} ".safetensors"
  !insertmacro ${action} ".gguf"
  !insertmacro ${action} ".csv"
!macroend
!macro Offer ending
  WriteRegStr HKCU "${CLASSES}\${ending}\OpenWithProgids" "headscope.file" ""
  WriteRegStr HKCU "${CLASSES}\Applications\headscope.exe\SupportedTypes" "${ending}" ""
!macroend
!macro Withdraw ending
  DeleteRegValue HKCU "${CLASSES}\${ending}\OpenWithProgids" "headscope.file"
!macroend

Section
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  ; files are opened and saved where the user keeps documents
  SetOutPath "$DOCUMENTS"
  CreateShortCut "$SMPROGRAMS\headscope.lnk" "$INSTDIR\headscope.exe"
  SetOutPath "$INSTDIR"

  WriteRegStr HKCU "${CLASSES}\headscope.file" "" "headscope file"
  WriteRegStr HKCU "${CLASSES}\headscope.file\DefaultIcon" "" "$INSTDIR\headscope.exe,0"
  WriteRegStr HKCU "${CLASSES}\headscope.file\shell\open\command" "" '"$INSTDIR\headscope.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\headscope.exe\shell\open\command" "" \
    '"$INSTDIR\headscope.exe" "%1"'
  !insertmacro EachEnding Offer

  WriteRegStr HKCU "${REMOVAL}" "DisplayName" "headscope"
  WriteRegStr HKCU "${REMOVAL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${REMOVAL}" "DisplayIcon" "$INSTDIR\headscope.exe"
  WriteRegStr HKCU "${REMOVAL}" "Publisher" "the headscope authors"
  WriteRegStr HKCU "${REMOVAL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${REMOVAL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${REMOVAL}" "NoModify" 1
  WriteRegDWORD HKCU "${REMOVAL}" "NoRepair" 1
SectionEnd

; What the user has not saved stays in %LOCALAPPDATA%\headscope.
Section "Uninstall"
  Delete "$INSTDIR\headscope.exe"
  Delete "$INSTDIR\headscope.com"
  Delete "$INSTDIR\README.txt"
  Delete "$INSTDIR\LICENSES.txt"
  Delete "$INSTDIR\CHANGELOG.txt"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\headscope.lnk"
  !insertmacro EachEnding Withdraw
  DeleteRegKey HKCU "${CLASSES}\headscope.file"
  DeleteRegKey HKCU "${CLASSES}\Applications\headscope.exe"
  DeleteRegKey HKCU "${REMOVAL}"
SectionEnd
